"""Every accepted form fits the columns of its table."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.contact import usecases
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.tables import Enquiry
from agency_site.form_input import read_form, search_text
from tests.unit.fitting import assert_fits

TYPED = st.text(max_size=200) | st.text("\ufdfa\U0001f600a \n", max_size=200)
EMAILS = st.emails(domains=st.sampled_from(["shop.example", "büro.example"])) | TYPED
PHONES = st.sampled_from(["0712 345 678", "+44 20 7946 0958", "", "12"])
DOMAINS = st.sampled_from(["mamamboga.co.ke", "https://www.a.example/b", "a" * 60 + ".example"]) | TYPED
REFERENCE = "EQ-7F3K9Q"
WIDE = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None)


def with_search_text(values: dict[str, object]) -> dict[str, object]:
    names = ("email", "phone", "fullname", "subject")
    return values | {"search": search_text(REFERENCE, *(str(values[name]) for name in names))}


@WIDE
@given(st.fixed_dictionaries({"name": TYPED, "subject": TYPED, "message": TYPED, "email": EMAILS}))
def test_every_accepted_message_fits_its_columns(form: dict[str, str]) -> None:
    try:
        message = read_form(ContactMessage, form)
    except InputRejected:
        assume(False)
    row = with_search_text(usecases.message_values(message))
    assert_fits(Enquiry, row)
    assert (row["fullname"], row["email"], row["subject"], row["message"]) == (
        message.name, message.email, message.subject, message.message,
    )  # fmt: skip


@WIDE
@given(
    st.fixed_dictionaries(
        {
            "fullName": TYPED,
            "email": EMAILS,
            "phone": PHONES,
            "domainName": DOMAINS,
            "domainType": st.sampled_from(["new", "existing", "other"]),
            "plan": st.sampled_from(["starter", "Growth", "PRO"]),
        }
    )
)
def test_every_accepted_signup_fits_its_columns(form: dict[str, str]) -> None:
    try:
        signup = read_form(PlanSignup, form)
    except InputRejected:
        assume(False)
    row = with_search_text(usecases.signup_values(signup))
    assert_fits(Enquiry, row)
    assert row["details"] == {
        "plan": signup.plan, "domain_type": signup.domain_type, "domain_name": signup.domain_name,
    }  # fmt: skip


def test_a_message_with_the_longest_fields_fits_the_search_column() -> None:
    message = read_form(
        ContactMessage,
        {"name": "\ufdfa" * 120, "email": "a@shop.example", "subject": "\ufdfa" * 160, "message": "x"},
    )
    row = with_search_text(usecases.message_values(message))
    assert_fits(Enquiry, row)
    assert str(row["search"]).startswith("eq-7f3k9q a@shop.example")
