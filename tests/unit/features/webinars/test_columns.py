"""Every registration that the form accepts fits into the table."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from agency_site.content.webinars import WEBINARS
from agency_site.errors import InputRejected
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.features.webinars.usecases import registration_values
from agency_site.form_input import read_form, search_text
from tests.unit.fitting import assert_fits

TEXTS = st.text(max_size=200) | st.text("\ufdfa\U0001f600a \n", max_size=200)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "webinar": st.sampled_from([webinar.id for webinar in WEBINARS]),
            "fullName": TEXTS,
            "email": st.emails(domains=st.sampled_from(["shop.example", "büro.example"])) | TEXTS,
            "phone": st.sampled_from(["0712 345 678", "+44 20 7946 0958", "", "12"]),
        }
    )
)
def test_every_accepted_registration_fits_into_its_columns(form: dict[str, str]) -> None:
    try:
        request = read_form(RegistrationRequest, form)
    except InputRejected:
        assume(False)
    values = registration_values(request)
    search = search_text("WR-7F3K9Q", request.email, request.phone, request.full_name)
    assert_fits(WebinarRegistration, values | {"search": search})
    assert values["email"] == request.email.lower()
