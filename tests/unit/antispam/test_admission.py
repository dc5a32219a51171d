"""Who is let through with what: proofs, repeats, traps and limits, each refusal with its reason."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agency_site import clock
from agency_site.antispam.admission import (
    MOST_REPEATS,
    REPEATS,
    admit,
    admit_post,
)
from agency_site.antispam.limiter import close_limiters
from agency_site.antispam.rules import (
    FORM_RULES,
    HONEYPOT_FIELD,
    HONEYPOT_FILLED,
    INPUT_KEPT,
    PROOF_EXPIRED,
    PROOF_FIELD,
    PROOF_MISSING,
    PROOF_REUSED,
    STAMP_FIELD,
    Form,
    NotAdmitted,
)
from agency_site.antispam.stamps import new_stamp
from agency_site.settings import Settings
from tests.conftest import FRIDAY_NOON
from tests.proof_of_work import solved

Configure = Callable[..., Settings]
Move = Callable[[datetime], None]

WORDS = {"name": "Amina", "email": "amina@shop.example", "message": "Karibu."}
HERE = "203.0.113.9"
EASY = {"proof_tries": 2, "proof_iterations": 1}


@pytest.fixture(autouse=True)
async def counted_afresh(configure: Configure) -> AsyncIterator[None]:
    """Challenges that take no time, and nothing counted before."""
    configure(**EASY)
    await close_limiters()
    yield
    await close_limiters()


def waited() -> str:
    """A proof whose challenge is old enough; the clock is not moved."""
    with clock.frozen(clock.now() - timedelta(seconds=3)):
        return solved()


def sent(proof: str = "", **words: str) -> dict[str, str]:
    return WORDS | words | {HONEYPOT_FIELD: "", PROOF_FIELD: proof or waited()}


async def refusal(form: Form, fields: object, address: str = HERE, recipient: str = "") -> str:
    with pytest.raises(NotAdmitted) as refused:
        await admit(form, fields, address, recipient)
    return refused.value.message


def test_every_form_has_its_kind() -> None:
    assert set(FORM_RULES) == set(Form)


async def test_a_filled_in_form_is_admitted() -> None:
    await admit(Form.CONTACT, sent(), HERE)


async def test_a_form_without_a_valid_proof_is_rejected_with_the_reason() -> None:
    for junk in ("", "junk", 7, None, ["x"]):
        assert await refusal(Form.CONTACT, WORDS | {PROOF_FIELD: junk}) == PROOF_MISSING
    nothings: tuple[object, ...] = (None, 5, "text", [], {})
    for nothing in nothings:
        assert await refusal(Form.CONTACT, nothing) == PROOF_MISSING


async def test_what_costs_the_sender_money_needs_no_proof() -> None:
    await admit(Form.PAYMENT, WORDS, HERE)
    await admit(Form.ENROLMENT, WORDS, HERE)
    assert await refusal(Form.ENROLMENT, WORDS | {HONEYPOT_FIELD: "x"}) == HONEYPOT_FILLED


@given(
    st.none()
    | st.text()
    | st.dictionaries(
        st.text(max_size=5) | st.sampled_from([PROOF_FIELD, HONEYPOT_FIELD]),
        st.none() | st.text() | st.integers(),
    )
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_nothing_that_anybody_sends_breaks_it(junk: object) -> None:
    async def ask() -> None:
        for form in (Form.CONTACT, Form.PAYMENT):
            try:
                await admit(form, junk, HERE, "\ud83d@junk" if junk else "")
            except NotAdmitted as refused:
                assert refused.message  # noqa: PT017 - being let through is fine as well

    asyncio.run(ask())


@pytest.mark.parametrize("filled", ["x", " http://spam.example "])
async def test_a_filled_honeypot_is_reported_and_nothing_is_counted_or_spent(
    configure: Configure, filled: str
) -> None:
    configure(**EASY, rate_limit_sends="1/minute")
    fields = sent()
    assert await refusal(Form.CONTACT, fields | {HONEYPOT_FIELD: filled}) == HONEYPOT_FILLED
    await admit(Form.CONTACT, fields, HERE)


async def test_a_form_posted_too_fast_is_rejected_and_may_be_sent_again_with_the_same_proof(
    configure: Configure,
) -> None:
    configure(**EASY, form_minimum_seconds=2)
    with clock.frozen(FRIDAY_NOON) as move:
        proof = solved()
        move(FRIDAY_NOON + timedelta(seconds=1.9))
        assert "at least 2 seconds" in await refusal(Form.CONTACT, sent(proof))
        move(FRIDAY_NOON + timedelta(seconds=2))
        await admit(Form.CONTACT, sent(proof), HERE)


async def test_a_proof_ends(configure: Configure) -> None:
    configure(**EASY, proof_minutes=10)
    with clock.frozen(FRIDAY_NOON) as move:
        first, second = solved(), solved()
        move(FRIDAY_NOON + timedelta(minutes=10))
        await admit(Form.CONTACT, sent(first), HERE)
        move(FRIDAY_NOON + timedelta(minutes=10, seconds=1))
        assert await refusal(Form.CONTACT, sent(second)) == PROOF_EXPIRED
        # What went out in time is recognised when it comes again.
        await admit(Form.CONTACT, sent(first), HERE)


async def test_a_proof_admits_one_submission_and_its_repetition() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        proof = waited()
        for _ in range(3):
            await admit(Form.CONTACT, sent(proof), HERE)
        assert await refusal(Form.CONTACT, sent(proof, message="Buy!")) == PROOF_REUSED
        assert await refusal(Form.SIGNUP, sent(proof)) == PROOF_REUSED
        move(FRIDAY_NOON + REPEATS + timedelta(seconds=1))
        assert await refusal(Form.CONTACT, sent(proof)) == PROOF_REUSED


async def test_repeats_count_for_nothing_but_have_an_end(configure: Configure) -> None:
    configure(**EASY, rate_limit_sends="2/minute")
    proof = waited()
    for _ in range(1 + MOST_REPEATS.amount):
        await admit(Form.CONTACT, sent(proof), HERE)
    assert await refusal(Form.CONTACT, sent(proof)) == PROOF_REUSED
    await admit(Form.CONTACT, sent(), HERE)


async def test_of_parallel_submissions_a_proof_admits_one() -> None:
    proof = waited()
    tries = [admit(Form.CONTACT, sent(proof, message=f"Number {number}"), HERE) for number in range(50)]
    answers = await asyncio.gather(*tries, return_exceptions=True)
    assert [answer for answer in answers if answer is None] == [None]
    assert all(answer is None or isinstance(answer, NotAdmitted) for answer in answers)


async def test_an_address_may_send_so_much_through_each_form(configure: Configure) -> None:
    configure(**EASY, rate_limit_sends="3/10 minutes")
    for number in range(3):
        await admit(Form.CONTACT, sent(message=f"Number {number}"), HERE)
    said = await refusal(Form.CONTACT, sent(message="One more"))
    assert said == f"Too many messages from your connection. Please try again in 10 minutes. {INPUT_KEPT}"
    await admit(Form.SIGNUP, sent(), HERE)
    await admit(Form.CONTACT, sent(), "203.0.113.10")


async def test_the_addresses_of_one_customer_count_as_one(configure: Configure) -> None:
    configure(**EASY, rate_limit_sends="1/minute")
    await admit(Form.CONTACT, sent(), "2001:db8:1:2::1")
    assert "Too many messages" in await refusal(Form.CONTACT, sent(), "2001:db8:1:2:ffff::9")


async def test_one_network_cannot_use_up_a_form_for_all_others(configure: Configure) -> None:
    configure(**EASY, rate_limit_form="5/hour")
    for number in range(5):
        await admit(Form.COMMENT, sent(message=f"Number {number}"), f"2001:db8:1:{number}::1")
    said = await refusal(Form.COMMENT, sent(), "2001:db8:1:ffff::1")
    assert said == f"Too many comments from your network. Please try again in 60 minutes. {INPUT_KEPT}"
    await admit(Form.COMMENT, sent(message="A neighbour"), "2001:db8:2::1")
    await admit(Form.COMMENT, sent(message="Another one"), HERE)
    await admit(Form.CONTACT, sent(), "2001:db8:1:ffff::1")


async def test_customers_of_a_mobile_network_share_its_addresses_and_all_send(configure: Configure) -> None:
    configure(**EASY, env="production", secret_key="s" * 40)
    for number in range(200):
        await admit(Form.CONTACT, sent(email=f"client{number}@shop.example"), f"203.0.113.{number % 20}")


async def test_one_network_names_so_many_different_addresses_a_day_through_all_forms(
    configure: Configure,
) -> None:
    configure(**EASY, rate_limit_recipients="3/day")
    await admit(Form.CONTACT, sent(email="one@shop.example"), "2001:db8:1:1::1")
    await admit(Form.ENROLMENT, WORDS | {"email": "two@shop.example"}, "2001:db8:1:2::1")
    await admit(Form.BOOKING, sent(emailaddress="three@shop.example", email=""), "2001:db8:1:3::1")
    said = await refusal(Form.COMMENT, sent(email="four@shop.example"), "2001:db8:1:4::1")
    assert said == (
        "Too many comments for different e-mail addresses from your network today. "
        f"Please try again in 24 hours, or call us. {INPUT_KEPT}"
    )
    # What was refused does not count, and addresses that were named may be named again.
    said = await refusal(Form.COMMENT, sent(email="four@shop.example"), "2001:db8:1:4::1")
    assert "Too many comments for different e-mail addresses" in said
    for number in range(5):
        await admit(Form.COMMENT, sent(email="Two+x@shop.example", message=str(number)), "2001:db8:1:5::1")
    await admit(Form.COMMENT, sent(email="four@shop.example"), "2001:db8:2::1")


async def test_the_learners_of_an_order_count_each(configure: Configure) -> None:
    configure(**EASY, rate_limit_recipients="3/day")
    learners = {f"email-{number}": f"{number}@shop.example" for number in range(1, 5)}
    await admit(Form.LEARNERS, dict(list(learners.items())[:3]), HERE)
    assert "different e-mail addresses" in await refusal(Form.LEARNERS, learners)


async def test_nobodys_address_is_booked_for_without_end(configure: Configure) -> None:
    configure(**EASY)
    for number in range(10):
        await admit(Form.BOOKING, sent(message=str(number)), f"203.0.113.{number}", "Amina@shop.example")
    said = await refusal(Form.BOOKING, sent(), "198.51.100.1", "amina@shop.example ")
    assert said.startswith("Too many bookings with this e-mail address today. Please try again in 24 hours")
    await admit(Form.BOOKING, sent(message="else"), HERE, "ben@shop.example")


async def test_one_network_books_and_pays_so_much_a_day(configure: Configure) -> None:
    configure(**EASY, rate_limit_bookings="2/day", rate_limit_payments="1/day")
    for number in range(2):
        await admit(Form.BOOKING, sent(message=str(number)), f"203.0.113.{number}")
    said = await refusal(Form.BOOKING, sent(), "203.0.113.200")
    assert (
        said
        == f"Too many bookings from your network today. Please try again in 24 hours, or call us. {INPUT_KEPT}"
    )
    await admit(Form.BOOKING, sent(), "198.51.100.1")
    await admit(Form.PAYMENT, WORDS, "2001:db8:1:2::1")
    assert "Too many payments" in await refusal(Form.PAYMENT, WORDS, "2001:db8:1:ffff::1")
    await admit(Form.CONTACT, sent(), "203.0.113.200")


async def test_a_refusal_is_shown_next_to_the_field_where_a_form_has_no_other_place() -> None:
    with pytest.raises(NotAdmitted) as refused:
        await admit(Form.NEWSLETTER, {}, HERE)
    assert refused.value.by_field() == {"email": PROOF_MISSING}
    with pytest.raises(NotAdmitted) as refused:
        await admit(Form.CONTACT, {}, HERE)
    assert (refused.value.message, refused.value.errors) == (PROOF_MISSING, ())


async def test_a_posted_form_may_be_sent_once_more_when_its_repeats_have_ended(configure: Configure) -> None:
    configure(**EASY, form_minimum_seconds=0)
    with clock.frozen(FRIDAY_NOON) as move:
        posted = {**WORDS, STAMP_FIELD: new_stamp()}
        await admit_post(Form.CONTACT, posted, HERE)
        move(FRIDAY_NOON + REPEATS - timedelta(seconds=1))
        await admit_post(Form.CONTACT, posted, HERE)
        move(FRIDAY_NOON + REPEATS + timedelta(seconds=1))
        await admit_post(Form.CONTACT, posted, HERE)
