"""M-Pesa's books are read by a job: they show payments whose reports were lost, and confirm failures of status queries."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from agency_site.db.engine import session_scope
from agency_site.errors import Conflict
from agency_site.features.checkout import api, jobs
from agency_site.features.checkout.jobs import read_recent_books
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import OrderEvent
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.status_queries import query_for_staff
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.mpesa.contract import Verdict
from tests.conftest import FRIDAY_NOON
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    callback_for,
    enrolments,
    mails,
    order_view,
    orders,
    payments,
    rows,
)
from tests.integration.features.checkout.orders import STAFF, report
from tests.integration.features.checkout.test_books import CLOSED, pay_unheard
from tests.integration.features.checkout.test_manual_payments import CANCELS, unpaid
from tests.integration.features.checkout.test_paybill import by_hand

pytestmark = pytest.mark.usefixtures("books_are_read")


def start() -> None:
    """Forget what this process has read, as after a start."""
    jobs._started.here().clear()


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn validation off: M-Pesa accepts payments by hand without it, because merchants have to apply for it."""

    async def accept(*_: object) -> Verdict:
        return Verdict.ACCEPTED

    monkeypatch.setattr(api, "validate_payment", accept)


async def read_after(shop: Shop, seconds: float) -> int:
    """Let the job read M-Pesa's books so many seconds after noon."""
    shop.move(FRIDAY_NOON + timedelta(seconds=seconds))
    return await read_recent_books()


async def pulls(shop: Shop) -> int:
    return int((await shop.control.ledger())["calls"]["pull"])


async def pay_unreported(shop: Shop, account: str, amount: int = PRICE) -> str:
    """The receipt of a payment by hand whose one report is lost."""
    await shop.control.post("switches", copies=0)
    done = await by_hand(shop, account, amount)
    await shop.control.post("switches", copies=None)
    return str(done["receipt"])


async def test_money_by_hand_whose_report_is_lost_pays_its_order_within_the_hour(shop: Shop) -> None:
    reference = await unpaid(shop)
    await read_after(shop, 1)
    await read_after(shop, 61)
    receipt = await pay_unreported(shop, reference)
    assert await read_after(shop, 3000) == 0
    assert await read_after(shop, 3700) == 1
    await shop.later(3701)
    (order,), (_, paid) = await orders(), await payments()
    assert (order.state, paid.receipt, paid.kind) == (OrderState.PAID, receipt, PaymentKind.PAYBILL)
    assert (len(await enrolments()), (await report()).balanced) == (1, True)
    with pytest.raises(Conflict, match="settled"):
        await shop.retried()


async def test_money_that_names_no_order_is_listed_once_although_its_report_is_lost(shop: Shop) -> None:
    receipt = await pay_unreported(shop, "RENT7")
    for seconds in (1, 61, 4000, 8000):
        await read_after(shop, seconds)
    assert [
        unassigned_transaction.receipt for unassigned_transaction in await rows(UnassignedTransaction)
    ] == [receipt]
    assert [discrepancy.kind for discrepancy in (await report()).discrepancies] == [Kind.UNASSIGNED]


async def test_the_books_are_read_once_an_hour_and_after_each_start(shop: Shop) -> None:
    for seconds in (1, 61, 62, 1800, 3600):
        await read_after(shop, seconds)
    assert await pulls(shop) == 1
    await read_after(shop, 3661)
    assert await pulls(shop) == 2
    start()
    # The server may itself be the one that answers.
    await read_after(shop, 3700)
    assert await pulls(shop) == 2
    for seconds in (3760, 3820):
        await read_after(shop, seconds)
    assert await pulls(shop) == 3


async def test_several_processes_read_them_once(shop: Shop) -> None:
    await read_after(shop, 1)
    first = dict(jobs._started.here())
    start()
    await read_after(shop, 2)
    await read_after(shop, 62)
    jobs._started.here().update(first)
    await read_after(shop, 63)
    assert await pulls(shop) == 1


async def test_books_that_cannot_be_read_are_read_again_soon(shop: Shop) -> None:
    receipt = await pay_unreported(shop, await unpaid(shop))
    await shop.control.post("switches", pull=False)
    for seconds in (1, 61):
        await read_after(shop, seconds)
    tried = await pulls(shop)
    await read_after(shop, 122)
    assert await pulls(shop) == tried > 0
    await shop.control.post("switches", pull=True)
    assert await read_after(shop, 362) == 1
    await shop.later(363)
    assert (await payments())[-1].receipt == receipt


async def test_without_pull_transactions_nothing_is_read(
    shop: Shop, configure: Callable[..., object]
) -> None:
    configure(mpesa_pull_transactions="off")
    for seconds in (1, 61, 4000):
        assert await read_after(shop, seconds) == 0
    assert await pulls(shop) == 0


async def test_a_receipt_that_only_the_books_state_is_added(shop: Shop) -> None:
    await shop.control.post("switches", copies=0)
    await shop.paid()
    for seconds in (76, 90):
        await shop.later(seconds)
    assert [(payment.state, payment.receipt) for payment in await payments()] == [(PaymentState.PAID, None)]
    await read_after(shop, 91)
    await read_after(shop, 151)
    (prompt,) = (await shop.control.ledger())["prompts"]
    assert [payment.receipt for payment in await payments()] == [prompt["receipt"]]
    assert (await report()).balanced


# A query that denies a payment


async def pay_denied(shop: Shop, last: str = "111", **switches: object) -> None:
    """A payment whose callback is lost, and of which the status query says that it failed."""
    await shop.control.post("switches", copies=0, **switches)
    await shop.paid(last)
    await shop.later(76)


async def test_a_false_failure_of_the_query_never_charges_twice(shop: Shop) -> None:
    # The books show it after twenty minutes only.
    await pay_denied(shop, query_lie=True, pull_delay=1200)
    (payment,) = await payments()
    assert (payment.state, payment.failure_seen_at is not None) == (PaymentState.PENDING, True)
    seen = await order_view()
    assert "Please do not pay again" in seen.detail
    assert "payment-unpaid" not in await mails()
    for seconds in (400, 1000, 1100):
        await shop.later(seconds)
        await shop.retried()
    assert len((await shop.control.ledger())["prompts"]) == 1
    await shop.later(1600)
    (prompt,), (payment,) = (await shop.control.ledger())["prompts"], await payments()
    assert (payment.state, payment.receipt) == (PaymentState.PAID, prompt["receipt"])
    assert (len(await enrolments()), await shop.charged(), (await report()).balanced) == (1, PRICE, True)
    assert await shop.later(4000) == 0


async def test_a_true_failure_of_the_query_counts_once_the_books_surely_show_no_payment(shop: Shop) -> None:
    await pay_denied(shop, CANCELS)
    for seconds in (500, 1500, CLOSED - 20):
        await shop.later(seconds)
        assert [payment.state for payment in await payments()] == [PaymentState.PENDING]
    assert "payment-unpaid" not in await mails()
    await shop.later(CLOSED + 300)
    (payment,) = await payments()
    assert (payment.state, payment.result_code, payment.due_at) == (PaymentState.CANCELLED, "1032", None)
    assert ("payment-unpaid" in await mails(), (await orders())[0].state) == (True, OrderState.UNPAID)
    assert (await shop.control.ledger())["calls"]["query"] == 1
    assert "You cancelled" in (await order_view()).detail


async def test_the_callback_of_a_failure_needs_no_books(shop: Shop) -> None:
    await pay_denied(shop, CANCELS)
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.call_back(callback_for(prompt, 1032), f"/{(await payments())[0].attempt_key}")
    (payment,) = await payments()
    assert (payment.state, payment.due_at) == (PaymentState.CANCELLED, None)


async def test_the_callback_of_a_success_counts_after_a_false_failure(shop: Shop) -> None:
    await pay_denied(shop, query_lie=True)
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.control.post("switches", pull=False)
    await shop.call_back(callback_for(prompt), f"/{(await payments())[0].attempt_key}")
    assert [(payment.state, payment.due_at) for payment in await payments()] == [(PaymentState.PAID, None)]


async def test_a_failure_that_no_books_can_confirm_is_decided_by_staff(shop: Shop) -> None:
    await pay_denied(shop, query_lie=True, pull=False)
    await shop.later(CLOSED - 10)
    assert [payment.state for payment in await payments()] == [PaymentState.PENDING]
    await shop.later(CLOSED + 300)
    assert [payment.state for payment in await payments()] == [PaymentState.NEEDS_REVIEW]
    assert "staff-payment-review" in await mails()
    # The books can be read again: nothing is left to decide.
    await shop.control.post("switches", pull=True)
    await read_after(shop, CLOSED + 400)
    await read_after(shop, CLOSED + 460)
    assert [payment.state for payment in await payments()] == [PaymentState.PAID]
    assert (len(await enrolments()), (await report()).balanced) == (1, True)


async def test_a_success_that_a_query_reports_after_a_failure_is_confirmed_by_another(shop: Shop) -> None:
    await pay_denied(shop, query_lie=True, pull_delay=40_000)
    await shop.control.post("switches", query_lie=False)
    for seconds in (200, 300):
        shop.move(FRIDAY_NOON + timedelta(seconds=seconds))
        payment_id = (await payments())[0].id or 0
        await query_for_staff(session_scope, gateway(session_scope), "app", payment_id, STAFF)
    assert [payment.state for payment in await payments()] == [PaymentState.PAID]


async def test_without_the_books_a_failure_of_the_query_ends_the_payment(
    shop: Shop, configure: Callable[..., object]
) -> None:
    configure(mpesa_pull_transactions="off")
    await pay_denied(shop, CANCELS)
    assert [payment.state for payment in await payments()] == [PaymentState.CANCELLED]


# Money by hand for the account number that a phone shows


async def prompt_and_pay_by_hand(shop: Shop, amount: int = PRICE, **plan: object) -> Payment:
    """An open prompt, and money by hand for its account number; the payment afterwards."""
    await shop.control.post("next", hold=True, **plan)
    await shop.pay()
    assert (await by_hand(shop, (await payments())[0].account_reference, amount))["confirmations"] == ["200"]
    return (await payments())[0]


async def answer_prompt(shop: Shop) -> str:
    """The customer confirms the prompt too; its receipt."""
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.control.post("answer", checkout_request_id=prompt["checkout_request_id"], result_code="0")
    return str((await shop.decided())["receipt"])


async def test_a_prompt_is_watched_although_money_by_hand_has_paid_for_its_order(shop: Shop) -> None:
    paid = await prompt_and_pay_by_hand(shop, copies=0)
    assert (paid.state, paid.due_at is not None) == (PaymentState.PAID, True)
    second = await answer_prompt(shop)
    await shop.later(76)
    await read_after(shop, 77)
    await read_after(shop, 140)
    assert (await payments())[0].receipt == paid.receipt
    (discrepancy_found,) = (
        discrepancy for discrepancy in (await report()).discrepancies if second in discrepancy.detail
    )
    assert (discrepancy_found.kind, discrepancy_found.amount) == (Kind.UNASSIGNED, PRICE)
    assert "staff-payment-review" in await mails()
    assert await shop.later(4000) == 0


async def test_a_watched_prompt_that_ends_without_money_is_forgotten(shop: Shop) -> None:
    paid = await prompt_and_pay_by_hand(shop, copies=0)
    await shop.later(76)
    assert (await payments())[0].due_at is not None
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.control.post("answer", checkout_request_id=prompt["checkout_request_id"], result_code="1032")
    await shop.later(200)
    (seen,) = await payments()
    assert (seen.state, seen.receipt, seen.due_at) == (PaymentState.PAID, paid.receipt, None)
    assert (await report()).balanced


@pytest.mark.parametrize("code", ["0", "1032"])
async def test_the_callback_of_a_watched_prompt_ends_the_watch(shop: Shop, code: str) -> None:
    await prompt_and_pay_by_hand(shop)
    (prompt,) = (await shop.control.ledger())["prompts"]
    await shop.control.post("answer", checkout_request_id=prompt["checkout_request_id"], result_code=code)
    await shop.control.settled()
    (seen,) = await payments()
    assert (seen.state, seen.due_at) == (PaymentState.PAID, None)
    assert ("staff-payment-review" in await mails()) is (code == "0")


async def test_without_the_books_staff_compare_when_a_query_says_that_the_prompt_was_paid_too(
    shop: Shop, configure: Callable[..., object]
) -> None:
    configure(mpesa_pull_transactions="off")
    await prompt_and_pay_by_hand(shop, copies=0)
    await answer_prompt(shop)
    await shop.later(76)
    assert ("staff-payment-review" in await mails(), (await payments())[0].due_at) == (True, None)
    assert "compare M-Pesa's statement" in " ".join(event.why for event in await rows(OrderEvent))


async def test_a_second_receipt_is_one_line_of_the_report(shop: Shop) -> None:
    await prompt_and_pay_by_hand(shop)
    second = await answer_prompt(shop)
    await shop.control.settled()
    for seconds in (10, 70):
        await read_after(shop, seconds)
    (discrepancy,) = (await report()).discrepancies
    assert (second in discrepancy.detail, discrepancy.amount) == (True, PRICE)


@pytest.mark.usefixtures("unasked")
async def test_a_shilling_for_the_number_of_a_prompt_waits_and_blocks_nothing(shop: Shop) -> None:
    open_payment = await prompt_and_pay_by_hand(shop, 1)
    assert (open_payment.state, open_payment.receipt) == (PaymentState.PENDING, None)
    receipt = await answer_prompt(shop)
    await shop.control.settled()
    (order,), (paid,) = await orders(), await payments()
    assert (order.state, paid.state, paid.receipt) == (OrderState.PAID, PaymentState.PAID, receipt)
    assert len(await enrolments()) == 1
    assert [(discrepancy.kind, discrepancy.amount) for discrepancy in (await report()).discrepancies] == [
        (Kind.UNASSIGNED, 1)
    ]


@pytest.mark.usefixtures("unasked")
async def test_a_shilling_in_the_books_is_not_taken_for_the_payment(shop: Shop) -> None:
    """Neither callback nor answer is stored: only the books say anything."""
    await pay_unheard(shop)
    await pay_unreported(shop, (await payments())[0].account_reference, 1)
    await shop.later(76)
    (paid,), (prompt,) = await payments(), (await shop.control.ledger())["prompts"]
    assert (paid.state, paid.receipt) == (PaymentState.PAID, prompt["receipt"])
    assert [
        unassigned_transaction.amount for unassigned_transaction in await rows(UnassignedTransaction)
    ] == ["1.00"]


@pytest.mark.usefixtures("unasked")
async def test_a_shilling_alone_in_the_books_is_not_the_payment(shop: Shop) -> None:
    await shop.control.post("fault", call="push", fault="bad_gateway")
    await shop.pay()
    await pay_unreported(shop, (await payments())[0].account_reference, 1)
    await shop.later(76)
    assert [payment.state for payment in await payments()] == [PaymentState.UNKNOWN]
    await shop.later(CLOSED + 300)
    assert [payment.state for payment in await payments()] == [PaymentState.EXPIRED]
