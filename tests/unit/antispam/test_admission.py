"""Admission of forms: stamps, honeypot and limits, each refusal with its reason."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agency_site import clock
from agency_site.antispam.admission import admit, admit_post
from agency_site.antispam.rules import (
    FORM_RULES,
    HONEYPOT_FIELD,
    HONEYPOT_FILLED,
    INPUT_KEPT,
    STAMP_FIELD,
    STAMP_MISSING,
    Form,
    NotAdmitted,
)
from agency_site.antispam.stamps import new_stamp
from agency_site.settings import Settings
from tests.conftest import FRIDAY_NOON

pytestmark = pytest.mark.usefixtures("fresh_limits")

Configure = Callable[..., Settings]

WORDS = {"name": "Amina", "email": "amina@shop.example", "message": "Karibu."}
HERE = "203.0.113.9"


def submitted_fields(**words: str) -> dict[str, str]:
    return WORDS | words | {HONEYPOT_FIELD: ""}


async def refusal(form: Form, fields: object, address: str = HERE, recipient: str = "") -> str:
    with pytest.raises(NotAdmitted) as refused:
        await admit(form, fields, address, recipient)
    return refused.value.message


def test_every_form_has_its_kind() -> None:
    assert set(FORM_RULES) == set(Form)


async def test_a_filled_in_form_is_admitted() -> None:
    await admit(Form.CONTACT, submitted_fields(), HERE)


@pytest.mark.parametrize("form", [Form.PAYMENT, Form.ENROLMENT, Form.NEWSLETTER_BOX])
async def test_forms_without_a_stamp_are_admitted_as_posts_where_nothing_may_delay_them(form: Form) -> None:
    await admit_post(form, WORDS, HERE)
    with pytest.raises(NotAdmitted, match="A hidden field was filled in"):
        await admit_post(form, WORDS | {HONEYPOT_FIELD: "x"}, HERE)


@given(
    st.none()
    | st.text()
    | st.dictionaries(
        st.text(max_size=5) | st.sampled_from([STAMP_FIELD, HONEYPOT_FIELD]),
        st.none() | st.text() | st.integers(),
    )
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_any_submitted_data_is_handled_without_an_error(junk: object) -> None:
    async def ask() -> None:
        for form in (Form.CONTACT, Form.PAYMENT):
            for admission in (admit, admit_post):
                try:
                    await admission(form, junk, HERE, "\ud83d@junk" if junk else "")
                except NotAdmitted as refused:
                    assert refused.message  # noqa: PT017 - being admitted is fine as well

    asyncio.run(ask())


@pytest.mark.parametrize("filled", ["x", " http://spam.example "])
async def test_a_filled_honeypot_is_reported_and_nothing_is_counted(
    configure: Configure, filled: str
) -> None:
    configure(rate_limit_sends="1/minute")
    fields = submitted_fields()
    assert await refusal(Form.CONTACT, fields | {HONEYPOT_FIELD: filled}) == HONEYPOT_FILLED
    await admit(Form.CONTACT, fields, HERE)


@pytest.mark.parametrize("stamp", ["", "junk", "-", "1-2", "9" * 30])
async def test_a_post_without_a_stamp_of_ours_is_sent_once_more_by_the_visitor(stamp: str) -> None:
    with pytest.raises(NotAdmitted) as refused:
        await admit_post(Form.CONTACT, WORDS | {STAMP_FIELD: stamp}, HERE)
    assert refused.value.message == STAMP_MISSING


async def test_a_form_posted_too_fast_is_rejected_and_may_be_posted_again(configure: Configure) -> None:
    configure(form_minimum_seconds=2)
    with clock.frozen(FRIDAY_NOON) as move:
        posted = WORDS | {STAMP_FIELD: new_stamp()}
        move(FRIDAY_NOON + timedelta(seconds=1.9))
        with pytest.raises(NotAdmitted, match="at least 2 seconds"):
            await admit_post(Form.CONTACT, posted, HERE)
        move(FRIDAY_NOON + timedelta(seconds=2))
        await admit_post(Form.CONTACT, posted, HERE)


async def test_each_form_limits_the_submits_of_one_address(configure: Configure) -> None:
    configure(rate_limit_sends="3/10 minutes")
    for number in range(3):
        await admit(Form.CONTACT, submitted_fields(message=f"Number {number}"), HERE)
    said = await refusal(Form.CONTACT, submitted_fields(message="One more"))
    assert said == f"Too many messages from your connection. Please try again in 10 minutes. {INPUT_KEPT}"
    await admit(Form.SIGNUP, submitted_fields(), HERE)
    await admit(Form.CONTACT, submitted_fields(), "203.0.113.10")


async def test_the_addresses_of_one_customer_count_as_one(configure: Configure) -> None:
    configure(rate_limit_sends="1/minute")
    await admit(Form.CONTACT, submitted_fields(), "2001:db8:1:2::1")
    assert "Too many messages" in await refusal(Form.CONTACT, submitted_fields(), "2001:db8:1:2:ffff::9")


async def test_one_network_cannot_use_up_a_form_for_all_others(configure: Configure) -> None:
    configure(rate_limit_form="5/hour")
    for number in range(5):
        await admit(Form.COMMENT, submitted_fields(message=f"Number {number}"), f"2001:db8:1:{number}::1")
    said = await refusal(Form.COMMENT, submitted_fields(), "2001:db8:1:ffff::1")
    assert said == f"Too many comments from your network. Please try again in 60 minutes. {INPUT_KEPT}"
    await admit(Form.COMMENT, submitted_fields(message="A neighbour"), "2001:db8:2::1")
    await admit(Form.COMMENT, submitted_fields(message="Another one"), HERE)
    await admit(Form.CONTACT, submitted_fields(), "2001:db8:1:ffff::1")


async def test_customers_of_a_mobile_network_share_its_addresses_and_all_send(configure: Configure) -> None:
    configure(env="production", secret_key="s" * 40)
    for number in range(200):
        await admit(
            Form.CONTACT, submitted_fields(email=f"client{number}@shop.example"), f"203.0.113.{number % 20}"
        )


async def test_one_network_names_a_limited_number_of_addresses_a_day_in_all_forms(
    configure: Configure,
) -> None:
    configure(rate_limit_recipients="3/day")
    await admit(Form.CONTACT, submitted_fields(email="one@shop.example"), "2001:db8:1:1::1")
    await admit(Form.ENROLMENT, WORDS | {"email": "two@shop.example"}, "2001:db8:1:2::1")
    await admit(
        Form.BOOKING, submitted_fields(emailaddress="three@shop.example", email=""), "2001:db8:1:3::1"
    )
    said = await refusal(Form.COMMENT, submitted_fields(email="four@shop.example"), "2001:db8:1:4::1")
    assert said == (
        "Too many comments for different e-mail addresses from your network today. "
        f"Please try again in 24 hours, or call us. {INPUT_KEPT}"
    )
    # Refused submits are not counted, and addresses that were counted may be used again.
    said = await refusal(Form.COMMENT, submitted_fields(email="four@shop.example"), "2001:db8:1:4::1")
    assert "Too many comments for different e-mail addresses" in said
    for number in range(5):
        await admit(
            Form.COMMENT, submitted_fields(email="Two+x@shop.example", message=str(number)), "2001:db8:1:5::1"
        )
    await admit(Form.COMMENT, submitted_fields(email="four@shop.example"), "2001:db8:2::1")


async def test_the_learners_of_an_order_count_each(configure: Configure) -> None:
    configure(rate_limit_recipients="3/day")
    learners = {f"email-{number}": f"{number}@shop.example" for number in range(1, 5)}
    await admit(Form.LEARNERS, dict(list(learners.items())[:3]), HERE)
    assert "different e-mail addresses" in await refusal(Form.LEARNERS, learners)


async def test_bookings_for_one_e_mail_address_are_limited() -> None:
    for number in range(10):
        await admit(
            Form.BOOKING, submitted_fields(message=str(number)), f"203.0.113.{number}", "Amina@shop.example"
        )
    said = await refusal(Form.BOOKING, submitted_fields(), "198.51.100.1", "amina@shop.example ")
    assert said.startswith("Too many bookings with this e-mail address today. Please try again in 24 hours")
    await admit(Form.BOOKING, submitted_fields(message="else"), HERE, "ben@shop.example")


async def test_bookings_and_payments_of_one_network_are_limited_per_day(configure: Configure) -> None:
    configure(rate_limit_bookings="2/day", rate_limit_payments="1/day")
    for number in range(2):
        await admit(Form.BOOKING, submitted_fields(message=str(number)), f"203.0.113.{number}")
    said = await refusal(Form.BOOKING, submitted_fields(), "203.0.113.200")
    assert (
        said
        == f"Too many bookings from your network today. Please try again in 24 hours, or call us. {INPUT_KEPT}"
    )
    await admit(Form.BOOKING, submitted_fields(), "198.51.100.1")
    await admit(Form.PAYMENT, WORDS, "2001:db8:1:2::1")
    assert "Too many payments" in await refusal(Form.PAYMENT, WORDS, "2001:db8:1:ffff::1")
    await admit(Form.CONTACT, submitted_fields(), "203.0.113.200")


async def test_a_refusal_is_shown_next_to_the_field_where_a_form_has_no_other_place() -> None:
    with pytest.raises(NotAdmitted) as refused:
        await admit_post(Form.NEWSLETTER, {}, HERE)
    assert refused.value.by_field() == {"email": STAMP_MISSING}
    with pytest.raises(NotAdmitted) as refused:
        await admit_post(Form.CONTACT, {}, HERE)
    assert (refused.value.message, refused.value.errors) == (STAMP_MISSING, ())
