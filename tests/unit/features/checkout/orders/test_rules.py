import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES, payment_list
from agency_site.errors import InputRejected
from agency_site.features.checkout.buying.order_status import SHOWN, ShownState
from agency_site.features.checkout.orders.rules import (
    ORDER_TRANSITIONS,
    PAYMENT_FAILED,
    REFERENCE,
    SETTLED_ORDERS,
    STAFF_ORDER_TRANSITIONS,
    Discount,
    OrderExists,
    OrderState,
    compute_open_key,
    compute_quote,
    digest_client,
    erase_checkout_id,
    explain_amount_limit,
    format_after_prefix,
    parse_payer_phone,
)
from agency_site.features.checkout.payments.rules import (
    OPEN,
    PAYMENT_TRANSITIONS,
    RECEIVED,
    SEND_WITHIN,
    SILENT_QUERIES,
    STAFF_TRANSITIONS,
    UNPAID_ENDS,
    Attempt,
    PaymentFailed,
    PaymentState,
    PaymentUncertain,
    PromptLimit,
    compute_prompt_wait,
    decide_unresolved,
    find_retry_time,
    find_silence_end,
    format_account_reference,
)
from agency_site.ids import new_reference
from agency_site.money import kes

MAXIMUM = 250_000
NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)
WINDOW = timedelta(seconds=90)


def sources_of(
    target: PaymentState, transitions: Mapping[PaymentState, frozenset[PaymentState]]
) -> set[PaymentState]:
    return {state for state, targets in transitions.items() if target in targets}


paid_courses = st.sampled_from(payment_list())


def test_every_payment_state_is_open_or_ended_unpaid_or_received_or_under_review() -> None:
    classes = (OPEN, UNPAID_ENDS, RECEIVED, {PaymentState.NEEDS_REVIEW})
    for state in PaymentState:
        assert sum(state in class_ for class_ in classes) == 1, state


def test_every_state_has_its_transitions_and_its_shown_state() -> None:
    assert set(PAYMENT_TRANSITIONS) == set(SHOWN) == set(PaymentState)
    assert SHOWN[PaymentState.REFUNDED] is not ShownState.PAID
    assert set(ORDER_TRANSITIONS) == set(OrderState)
    shown_as_pending = {state for state in PaymentState if SHOWN[state] is ShownState.PENDING}
    assert shown_as_pending == OPEN | {PaymentState.NEEDS_REVIEW}


@pytest.mark.parametrize("state", PaymentState)
def test_nothing_follows_paid_and_only_unpaid_states_fall_back(state: PaymentState) -> None:
    following = PAYMENT_TRANSITIONS[state]
    assert state not in following
    if state in RECEIVED:
        assert not following
    if state is PaymentState.NEEDS_REVIEW:
        assert following == {PaymentState.PAID}
    if state in UNPAID_ENDS:
        assert following == {PaymentState.PAID, PaymentState.NEEDS_REVIEW}


def test_a_late_success_counts_from_every_state_that_is_not_settled() -> None:
    assert sources_of(PaymentState.PAID, PAYMENT_TRANSITIONS) == set(PaymentState) - RECEIVED


@pytest.mark.parametrize("end", sorted(UNPAID_ENDS))
def test_a_failure_never_follows_success_another_end_or_a_review(end: PaymentState) -> None:
    assert sources_of(end, PAYMENT_TRANSITIONS) <= OPEN


def test_every_state_but_the_first_can_be_reached_and_only_staff_refund_and_decide_reviews() -> None:
    reachable = {state for following in PAYMENT_TRANSITIONS.values() for state in following}
    assert reachable == set(PaymentState) - {PaymentState.CREATED, PaymentState.REFUNDED}
    assert set(STAFF_TRANSITIONS) == {PaymentState.NEEDS_REVIEW, PaymentState.PAID}
    assert sources_of(PaymentState.REFUNDED, STAFF_TRANSITIONS) == {
        PaymentState.NEEDS_REVIEW,
        PaymentState.PAID,
    }
    assert sources_of(PaymentState.PAID, STAFF_TRANSITIONS) == {PaymentState.NEEDS_REVIEW}


def test_every_order_state_is_settled_or_payable_or_under_review() -> None:
    classes = (SETTLED_ORDERS, {OrderState.AWAITING, OrderState.UNPAID}, {OrderState.NEEDS_REVIEW})
    for state in OrderState:
        assert sum(state in class_ for class_ in classes) == 1, state
    assert set(STAFF_ORDER_TRANSITIONS) == {OrderState.NEEDS_REVIEW, OrderState.PAID}


@given(identity=st.text(min_size=1), secret=st.text(st.characters(codec="utf-8"), min_size=1))
def test_an_erased_id_reveals_nothing_of_the_number_and_stays_the_same(identity: str, secret: str) -> None:
    request_id = identity.encode(errors="replace").decode()
    digest = erase_checkout_id(request_id, secret)
    assert digest == erase_checkout_id(request_id, secret) == erase_checkout_id(digest, secret)
    assert digest.startswith("erased:")
    assert len(digest) <= 128
    assert erase_checkout_id("", secret) == ""
    assert erase_checkout_id(request_id + "1", secret) != digest


@pytest.mark.parametrize("state", sorted(SETTLED_ORDERS))
def test_a_settled_order_stays_settled(state: OrderState) -> None:
    assert not ORDER_TRANSITIONS[state]


@given(course=paid_courses, quantity=st.integers(1, 5_000))
def test_the_total_is_price_times_quantity_or_too_much(course: Course, quantity: int) -> None:
    price = course.payment_price
    if price * quantity > MAXIMUM:
        with pytest.raises(InputRejected) as refused:
            compute_quote(course, quantity, price * quantity, MAXIMUM)
        assert refused.value.errors[0].field == "quantity"
    else:
        quote = compute_quote(course, quantity, price * quantity, MAXIMUM)
        assert quote.amount == price * quantity


@given(course=paid_courses, amount=st.integers(0, 10**9))
def test_without_a_quantity_only_a_whole_number_of_prices_is_taken(course: Course, amount: int) -> None:
    price = course.payment_price
    fits = amount > 0 and amount % price == 0 and amount <= MAXIMUM
    try:
        quote = compute_quote(course, None, amount, MAXIMUM)
    except InputRejected:
        assert not fits
    else:
        assert fits
        assert (quote.amount, quote.quantity) == (amount, amount // price)


@given(course=paid_courses, quantity=st.integers(1, 8), claimed=st.integers(0, 10**9))
def test_another_amount_than_the_servers_is_refused_by_name(
    course: Course, quantity: int, claimed: int
) -> None:
    due = course.payment_price * quantity
    if claimed == due:
        return
    with pytest.raises(InputRejected) as refused:
        compute_quote(course, quantity, claimed, MAXIMUM)
    assert refused.value.errors[0].field == "amount"
    assert kes(due) in refused.value.message


def test_too_much_names_limit_quantity_and_way_out() -> None:
    assert explain_amount_limit(30_000, MAXIMUM) == (
        "M-Pesa takes at most KES 250,000 in one payment. At most 8 places fit into one payment; "
        "for a larger group, please contact us."
    )
    assert "does not fit" in explain_amount_limit(300_000, MAXIMUM)


def test_a_free_course_is_never_charged() -> None:
    free = next(course for course in COURSES if course.free)
    with pytest.raises(InputRejected, match="free"):
        compute_quote(free, 1, 0, MAXIMUM)


def test_every_refused_price_names_its_field_and_the_reason() -> None:
    free, course = next(course for course in COURSES if course.free), payment_list()[0]
    price = course.payment_price
    unknown = f"{course.payment_name} costs {kes(price)} a place. Nothing was charged."
    for ordered, quantity, amount, maximum, field, reason in (
        (free, 1, 0, MAXIMUM, "courseName", f"{free.title} is free: enrol without paying."),
        (course, None, None, MAXIMUM, "amount", unknown),
        (course, None, price + 1, MAXIMUM, "amount", unknown),
        (
            course,
            2,
            price,
            MAXIMUM,
            "amount",
            f"The price has to be {kes(2 * price)}, not {kes(price)}. Nothing was charged.",
        ),
        (course, 2, None, price, "quantity", explain_amount_limit(price, price)),
    ):
        with pytest.raises(InputRejected) as refused:
            compute_quote(ordered, quantity, amount, maximum)
        assert (refused.value.message, refused.value.by_field()) == (reason, {field: reason})


def test_a_total_of_exactly_the_maximum_is_accepted_and_its_quantity_is_a_whole_number() -> None:
    course = payment_list()[0]
    quote = compute_quote(course, None, 2 * course.payment_price, 2 * course.payment_price)
    assert repr(quote.quantity) == "2"


def test_too_much_counts_one_place_and_none() -> None:
    assert ". At most 1 place fits into one payment; " in explain_amount_limit(200_000, MAXIMUM)
    assert ". This course does not fit into one payment; " in explain_amount_limit(300_000, MAXIMUM)


def test_the_secret_of_a_client_is_stored_as_its_digest() -> None:
    assert digest_client("") == ""
    assert digest_client("tab") == hashlib.sha256(b"tab").hexdigest()
    assert digest_client("\ud800") == digest_client("?")


def test_a_refused_or_uncertain_payment_carries_the_reason_and_the_way_to_its_order() -> None:
    refused = PaymentFailed("No such phone.", "EN-222222", "token")
    assert (refused.message, refused.reason) == (PAYMENT_FAILED, "No such phone.")
    assert (refused.reference, refused.token) == ("EN-222222", "token")
    uncertain = PaymentUncertain("EN-222222", "token")
    assert (uncertain.message, uncertain.reference, uncertain.token) == (
        PAYMENT_FAILED,
        "EN-222222",
        "token",
    )
    assert uncertain.reason.startswith("M-Pesa has not answered, so a request may still reach your phone.")
    assert (PaymentFailed("").reference, PaymentFailed("").token) == ("", "")


def test_an_existing_order_is_named_only_to_the_client_that_made_it() -> None:
    own = OrderExists("EN-222222", "token")
    assert (own.reference, own.token) == ("EN-222222", "token")
    assert own.message.startswith(
        "Order EN-222222 for this course is paid, or its payment is still being processed."
    )
    other = OrderExists()
    assert (other.reference, other.token) == ("", "")
    assert "order" not in other.message
    assert "Nothing was charged." in other.message


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("0712345678", "254712345678"),
        ("0112 345 678", "254112345678"),
        ("712345678", "254712345678"),
        ("110-345-678", "254110345678"),
        ("+254 712 345 678", "254712345678"),
        ("254712345678", "254712345678"),
        (" 0712\u00a0345\u2013678\t", "254712345678"),
        ("\u202a+254 712 345 678\u202c", "254712345678"),
        ("07\ufe0e12345678", "254712345678"),
        ("+254 0712 345 678", "254712345678"),
        ("+254 (0) 712 345678", "254712345678"),
        ("2540712345678", "254712345678"),
        ("0254 712 345 678", "254712345678"),
        ("+0712345678", "254712345678"),
        ("00254712345678", "254712345678"),
        ("000254712345678", "254712345678"),
        ("(0712) 345 678", "254712345678"),
        ("0712.345/678", "254712345678"),
        ("tel:+254712345678", "254712345678"),
        ("<tel:0712345678|0712 345 678>", "254712345678"),
        ("+254712345678.", "254712345678"),
        ("M-Pesa: 0712 345 678 (Amina)", "254712345678"),
        ("\uff10\uff17\uff11\uff12345678", "254712345678"),
        ("٠٧١٢٣٤٥٦٧٨", "254712345678"),
        ("0150 123 456", "254150123456"),
    ],
)
def test_payer_numbers_are_brought_to_one_form(text: str, digits: str) -> None:
    assert parse_payer_phone(text) == digits


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "071234567",
        "07123456789",
        "0812345678",
        "+44 7911 123456",
        "020 2345678",
        "0712 345 678 / 0722 111 222",
        "++254712345678",
        "0712e45678",
    ],
)
def test_other_numbers_are_refused_in_the_specifications_words_with_a_reason(text: str) -> None:
    with pytest.raises(InputRejected) as refused:
        parse_payer_phone(text)
    assert refused.value.message == PAYMENT_FAILED
    assert refused.value.by_field() == {"phone": "Please enter a Kenyan mobile number, such as 0712 345 678."}


@given(st.from_regex(r"[17][0-9]{8}", fullmatch=True), st.sampled_from(["0", "254", "+254", "+254 ", ""]))
def test_every_spelling_of_a_kenyan_mobile_number_is_the_same_number(subscriber: str, prefix: str) -> None:
    spaced = f"{prefix}{subscriber[:3]} {subscriber[3:6]}-{subscriber[6:]}"
    assert parse_payer_phone(spaced) == f"254{subscriber}"


@given(st.text())
def test_what_comes_out_is_always_twelve_digits(text: str) -> None:
    try:
        digits = parse_payer_phone(text)
    except InputRejected:
        return
    assert digits.isascii()
    assert digits.isdigit()
    assert len(digits) == 12


def test_references_are_readable_and_fit_m_pesas_field() -> None:
    for _ in range(200):
        reference = new_reference(REFERENCE)
        assert format_account_reference(reference, 9999).isalnum()
        assert len(format_account_reference(reference, 9999)) <= 12


def test_a_person_is_known_for_a_course_whatever_the_case_of_the_address() -> None:
    open_key = compute_open_key("Amina@example.com", "google-ads")
    assert open_key == compute_open_key("amina@EXAMPLE.com", "google-ads")
    assert open_key != compute_open_key("amina@example.com", "meta-ads")
    assert open_key != compute_open_key("brian@example.com", "google-ads")


LIMITS = (PromptLimit(3, timedelta(minutes=10)), PromptLimit(10, timedelta(days=1)))


@pytest.mark.parametrize(
    ("minutes_ago", "wait"),
    [
        ([], 0),
        ([1, 2], 0),
        ([1, 2, 4], 6),
        ([1, 2, 10], 0),
        ([60 * hour for hour in range(1, 10)], 0),
        ([60 * hour for hour in range(1, 11)], 14 * 60),
        ([1, 2, 3, *(60 * hour for hour in range(1, 8))], 17 * 60),
    ],
)
def test_a_phone_waits_until_each_period_has_room_again(minutes_ago: list[int], wait: int) -> None:
    prompt_times = [NOON - timedelta(minutes=minutes) for minutes in minutes_ago]
    assert compute_prompt_wait(prompt_times, LIMITS, NOON) == timedelta(minutes=wait)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0712 345 678", "712 345 678"),
        ("+254112345678", "112 345 678"),
        ("\u202a+254 712 345 111\u202c", "712 345 111"),
        ("+44 20 7946 0958", ""),
        ("", ""),
    ],
)
def test_a_kenyan_number_of_the_form_is_offered_as_it_is_typed_after_the_prefix(
    text: str, expected: str
) -> None:
    assert format_after_prefix(text) == expected


def attempt(state: PaymentState, queries: int = 0, *, success_seen: bool = False) -> Attempt:
    return Attempt(state, NOON, None, queries, success_seen)


@pytest.mark.parametrize("state", PaymentState)
def test_when_another_prompt_may_follow(state: PaymentState) -> None:
    expected = {PaymentState.FAILED: NOON, PaymentState.CANCELLED: NOON, PaymentState.EXPIRED: NOON}
    assert find_retry_time(attempt(state), WINDOW) == expected.get(state)
    assert find_retry_time(attempt(state, SILENT_QUERIES, success_seen=True), WINDOW) is None


def test_an_open_prompt_blocks_until_m_pesa_has_reported_no_payment_for_long() -> None:
    assert find_retry_time(attempt(PaymentState.PENDING, SILENT_QUERIES - 1), WINDOW) is None
    late = find_retry_time(attempt(PaymentState.PENDING, SILENT_QUERIES), WINDOW)
    assert late == NOON + SEND_WITHIN + timedelta(minutes=15)


attempts = st.builds(
    Attempt,
    st.sampled_from(PaymentState),
    st.just(NOON),
    st.none() | st.timedeltas(timedelta(0), SEND_WITHIN).map(lambda passed: NOON + passed),
    st.integers(0, 2 * SILENT_QUERIES),
    st.booleans(),
)
windows = st.timedeltas(timedelta(0), timedelta(hours=1))


@given(attempts, windows)
def test_no_prompt_follows_one_that_may_be_open_or_paid(attempt: Attempt, window: timedelta) -> None:
    retry = find_retry_time(attempt, window)
    if retry is None or attempt.state in UNPAID_ENDS:
        return
    # M-Pesa has been asked, and the prompt cannot be answered any more, whenever it was sent.
    assert attempt.state in OPEN
    assert (attempt.queries >= SILENT_QUERIES, attempt.success_seen) == (True, False)
    assert retry >= (attempt.sent_at or NOON + SEND_WITHIN) + window


@given(attempts, windows)
def test_the_latest_moment_counts_for_an_unknown_one(attempt: Attempt, window: timedelta) -> None:
    assert find_silence_end(attempt, window) <= find_silence_end(replace(attempt, sent_at=None), window)


@given(attempts)
def test_an_attempt_expires_by_itself_only_on_the_word_of_m_pesa(attempt: Attempt) -> None:
    expires = decide_unresolved(attempt) is PaymentState.EXPIRED
    assert expires == (attempt.queries >= SILENT_QUERIES and not attempt.success_seen)
    assert expires or decide_unresolved(attempt) is PaymentState.NEEDS_REVIEW


def test_m_pesa_shows_a_reference_without_its_dash_and_the_number_of_the_payment() -> None:
    assert format_account_reference("EN-7F3K9Q", 2) == "EN7F3K9Q2"


def test_the_oldest_prompt_of_a_full_period_decides_the_wait() -> None:
    prompt_times = [NOON - timedelta(minutes=minutes) for minutes in (1, 2, 9)]
    limit = PromptLimit(3, timedelta(minutes=10))
    assert compute_prompt_wait(prompt_times, [limit], NOON) == timedelta(minutes=1)
    assert compute_prompt_wait(
        [NOON - timedelta(minutes=minutes) for minutes in (1, 2, 11)], [limit], NOON
    ) == timedelta(0)


@given(total=st.integers(1, 1_000_000), percent=st.integers(1, 99), amount=st.integers(1, 2_000_000))
def test_a_discount_takes_no_more_than_it_says_and_at_most_all(total: int, percent: int, amount: int) -> None:
    for discount, most in (
        (Discount(percent, None), total * percent / 100),
        (Discount(None, amount), amount),
    ):
        off = discount.of(total)
        assert 0 <= off <= min(most, total)
        assert off in (int(most), total)


@given(course=paid_courses, quantity=st.integers(1, 5), percent=st.integers(1, 99))
def test_only_the_discounted_total_is_accepted(course: Course, quantity: int, percent: int) -> None:
    discount, total = Discount(percent, None), course.payment_price * quantity
    wanted = total - discount.of(total)
    assert compute_quote(course, quantity, wanted, 10**9, None, discount).amount == wanted
    with pytest.raises(InputRejected):
        compute_quote(course, quantity, wanted + 1, 10**9, None, discount)
