"""A statement of M-Pesa that staff import settles what nothing else has settled, once, and Pull Transactions may be off."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

import pytest
from httpx import Response
from sqlalchemy import update

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.checkout.admin.statements.list import describe_result, find_payers, group_lines
from agency_site.features.checkout.admin.statements.upload import STATEMENT_IMPORT, read_problem
from agency_site.features.checkout.direct_payments.manual import assign_transaction
from agency_site.features.checkout.jobs import poll_payments
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import OrderEvent
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.personal_data import expire_unassigned
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind, close_discrepancy
from agency_site.features.checkout.reconciliation.report import ReconciliationReport, reconciliation_report
from agency_site.features.checkout.reviews.staff_request import ReviewDecision
from agency_site.features.checkout.reviews.usecases import resolve_review
from agency_site.features.checkout.statements.tables import StatementImport
from agency_site.features.checkout.statements.usecases import ImportResult, import_statement, read_result
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.mpesa.statement import parse_statement
from tests.conftest import FRIDAY_NOON
from tests.http_clients import ORIGIN
from tests.integration.features.checkout.conftest import (
    PRICE,
    Shop,
    enrolments,
    mails,
    orders,
    payments,
    rows,
)
from tests.integration.staff_sessions import session_header

STAFF = "njeri@example.com"
HEADER = (
    "Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,"
    "Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No."
)
LATE = 50 * 60
"""Seconds after noon when the books would show what was paid at noon."""


class Portal:
    """M-Pesa's organisation portal: money that came in, by its time in seconds after noon."""

    def __init__(self, number: str = "174379") -> None:
        self.lines = [f"Short Code,{number}", HEADER]
        self.balance = 0

    def add(
        self, receipt: str, seconds: float, account: str, amount: int = PRICE, phone: str = "111"
    ) -> None:
        at = f"{in_nairobi(FRIDAY_NOON + timedelta(seconds=seconds)):%d-%m-%Y %H:%M:%S}"
        self.balance += amount
        party = f"254712345{phone} - JANE DOE"
        self.lines.append(
            f'{receipt},{at},{at},Pay Bill,Completed,"{amount:,}.00",,{self.balance}.00,true,Pay Bill,{party},,{account}'
        )

    async def imported(self) -> ImportResult:
        return await import_statement(session_scope, parse_statement(self.file()), STAFF)

    def file(self) -> bytes:
        return "\n".join(self.lines).encode()


async def pay_unheard(shop: Shop, last: str = "111", *, charged: bool = True) -> None:
    """A payment of which neither the answer to the push nor a callback was stored."""
    if charged:
        await shop.control.post("next", copies=0)
    await shop.control.post("fault", call="push", fault="drop" if charged else "bad_gateway")
    assert (await shop.pay(last)).status_code == 502
    await shop.control.settled()


async def paid_portal(shop: Shop, seconds: float = 0) -> Portal:
    """A statement that begins and ends with payments of ours, which the site knows."""
    portal = Portal()
    await shop.paid("611")
    await shop.paid("612")
    portal.add(str((await payments())[-2].receipt), -600, "ENFIRST1", phone="611")
    return portal


async def close(shop: Shop, portal: Portal, seconds: float = LATE) -> None:
    """The last line of the statement, a payment that is known."""
    known_receipts = [payment.receipt for payment in await payments() if payment.state is PaymentState.PAID][
        1
    ]
    portal.add(str(known_receipts), seconds, "ENSECOND1", phone="612")
    shop.move(FRIDAY_NOON + timedelta(seconds=seconds + 60))


async def states() -> list[PaymentState]:
    return [payment.state for payment in await payments()][-1:]


async def report() -> ReconciliationReport:
    return await reconciliation_report(read_scope, in_nairobi(FRIDAY_NOON).date())


@pytest.mark.parametrize("wait", [60, 1200])
async def test_a_payment_that_only_the_statement_shows_is_paid_once_with_its_receipt(
    shop: Shop, wait: int
) -> None:
    await pay_unheard(shop)
    await shop.later(wait)
    # At first it is open; once its time has passed staff were asked to look into the statement.
    assert await states() == [PaymentState.UNKNOWN if wait < 900 else PaymentState.NEEDS_REVIEW]
    (payment,) = await payments()
    portal = Portal()
    portal.add("UKK1B2C3D4", 20, payment.account_reference)
    result = await portal.imported()
    (line,) = result.paid
    assert (line.number, line.receipt, line.amount) == (3, "UKK1B2C3D4", Decimal(PRICE))
    assert line.reference == (await orders())[0].reference
    (payment,) = await payments()
    assert (payment.state, payment.receipt) == (PaymentState.PAID, "UKK1B2C3D4")
    assert (await orders())[0].state is OrderState.PAID
    assert STAFF in [event.actor for event in await rows(OrderEvent)]
    steps = len(await rows(OrderEvent))
    again = await portal.imported()
    assert (again.paid, again.known, again.review, again.unassigned) == ((), 1, (), ())
    assert (len(await enrolments()), len(await rows(OrderEvent))) == (1, steps)
    await poll_payments()
    assert len(await enrolments()) == 1


@pytest.mark.parametrize("wait", [60, 1200])
async def test_a_whole_statement_without_the_payment_ends_it_and_another_prompt_is_allowed(
    shop: Shop, wait: int
) -> None:
    portal = await paid_portal(shop)
    await pay_unheard(shop, charged=False)
    await shop.later(wait)
    await close(shop, portal)
    result = await portal.imported()
    assert (result.gap, result.unpaid, result.known) == ("", ((await orders())[-1].reference,), 2)
    assert await states() == [PaymentState.EXPIRED if wait < 900 else PaymentState.FAILED]
    assert "payment-unpaid" in await mails()
    await shop.retried(2)
    assert await states() == [PaymentState.PAID]


@pytest.mark.parametrize(
    ("spoil", "gap"),
    [
        (lambda portal: portal.lines.pop(-2), "balances do not add up"),
        (lambda portal: portal.lines.insert(3, "UKK9,soon,,,,,,,,,,,"), "could not be read"),
        (lambda portal: portal.lines.pop(0), "does not name our short code"),
        (lambda portal: portal.lines.__setitem__(0, "Short Code,600000"), "does not name our short code"),
    ],
)
async def test_a_statement_that_may_lack_lines_ends_no_payment(shop: Shop, spoil: object, gap: str) -> None:
    portal = await paid_portal(shop)
    await pay_unheard(shop, charged=False)
    await shop.later(1200)
    portal.add("UKK0000001", 1300, "RENT", phone="999")
    await close(shop, portal)
    assert callable(spoil)
    spoil(portal)
    result = await portal.imported()
    assert gap in result.gap
    assert (result.unpaid, await states()) == ((), [PaymentState.NEEDS_REVIEW])


async def test_a_statement_that_ends_too_early_ends_no_payment(shop: Shop) -> None:
    portal = await paid_portal(shop)
    await pay_unheard(shop, charged=False)
    await shop.later(1200)
    await close(shop, portal, seconds=44 * 60)
    result = await portal.imported()
    assert (result.gap, result.unpaid, await states()) == ("", (), [PaymentState.NEEDS_REVIEW])


@pytest.mark.parametrize(
    ("known", "stray"),
    [
        # 1 to 12 November as Excel saves it in the United States.
        ("11/1/2026 10:00", "11/12/2026 10:00"),
        # A line that is still to come.
        ("20-11-2026 08:00:00", "20-12-2026 10:00:00"),
    ],
)
async def test_a_statement_that_reaches_beyond_now_by_its_dates_ends_no_payment(
    shop: Shop, known: str, stray: str
) -> None:
    await shop.paid("611")
    receipt = (await payments())[-1].receipt
    await pay_unheard(shop)
    await shop.later(1200)
    lines = [
        "Short Code,174379",
        HEADER,
        f"{receipt},{known},,Pay Bill,Completed,15000.00,,15000.00,true,Pay Bill,,,X",
        f"UKA0000003,{stray},,Pay Bill,Completed,1000.00,,16000.00,true,Pay Bill,,,RENT",
    ]
    result = await import_statement(session_scope, parse_statement("\n".join(lines).encode()), STAFF)
    assert (result.unpaid, await states()) == ((), [PaymentState.NEEDS_REVIEW])
    stored = [
        in_nairobi(unassigned_transaction.booked_at)
        for unassigned_transaction in await rows(UnassignedTransaction)
    ]
    assert [(row.month, row.day) for row in stored] == ([(11, 12)] if "/" in stray else [])


async def test_money_by_hand_pays_the_order_of_a_payment_that_the_statement_ends(shop: Shop) -> None:
    portal = await paid_portal(shop)
    await pay_unheard(shop, charged=False)
    await shop.later(1200)
    # Paid by hand, under the reference of the order.
    portal.add("UKK0000001", 300, (await orders())[-1].reference.replace("-", ""))
    await close(shop, portal)
    result = await portal.imported()
    # The prompt has brought nothing, and the order cannot be paid again.
    assert (result.unpaid, [line.receipt for line in result.paid]) == ((), ["UKK0000001"])
    assert [payment.state for payment in await payments()][-2:] == [PaymentState.FAILED, PaymentState.PAID]
    assert (await orders())[-1].state is OrderState.PAID


async def test_another_amount_for_the_number_of_a_prompt_is_not_its_payment(shop: Shop) -> None:
    await pay_unheard(shop)
    (payment,) = await payments()
    portal = Portal()
    portal.add("UKK1B2C3D4", 20, payment.account_reference, amount=PRICE - 1)
    result = await portal.imported()
    assert ([line.receipt for line in result.unassigned], result.paid) == (["UKK1B2C3D4"], ())
    assert await states() == [PaymentState.UNKNOWN]
    assert await portal.imported() == result


async def test_a_second_receipt_for_a_paid_payment_is_money_without_an_order(shop: Shop) -> None:
    await shop.paid()
    (payment,) = await payments()
    portal = Portal()
    portal.add("UKK1B2C3D4", 20, payment.account_reference)
    result = await portal.imported()
    assert [line.receipt for line in result.unassigned] == ["UKK1B2C3D4"]
    assert [
        unassigned_transaction.receipt for unassigned_transaction in await rows(UnassignedTransaction)
    ] == ["UKK1B2C3D4"]
    assert await portal.imported() == result


async def test_money_that_belongs_to_no_payment_is_in_the_report_until_a_payment_has_its_receipt(
    shop: Shop,
) -> None:
    await pay_unheard(shop)
    await shop.later(1200)
    (payment,) = await payments()
    portal = Portal()
    portal.add("UKK0000009", 30, "JANE", amount=1500)
    portal.add("UKK1B2C3D4", 40, "TYPED BY HAND")
    portal.lines[0] = "Short Code,600000"
    with pytest.raises(InputRejected, match="none of its transactions is ours"):
        await portal.imported()
    assert await rows(UnassignedTransaction) == []
    portal.lines[0] = "Short Code,174379"
    result = await portal.imported()
    assert len(result.unassigned) == 2
    assert await portal.imported() == result
    stored = (await rows(UnassignedTransaction))[0]
    assert (stored.amount, stored.phone, stored.account) == ("1500.00", "254******111", "JANE")
    unassigned = [
        discrepancy
        for discrepancy in (await report()).discrepancies
        if discrepancy.kind is DiscrepancyKind.UNASSIGNED
    ]
    assert [row.amount for row in unassigned] == [1500, PRICE]
    assert not (await report()).balanced
    async with session_scope() as session:
        decision = ReviewDecision(PaymentState.PAID, "seen in the statement", "UKK1B2C3D4")
        await resolve_review(session, payment.id or 0, (await orders())[0].version, decision, STAFF)
    async with session_scope() as session:
        assert unassigned[0].subject is not None
        await close_discrepancy(session, unassigned[0].subject, 1500, "Rent of the room", STAFF)
    left = [
        discrepancy
        for discrepancy in (await report()).discrepancies
        if discrepancy.kind is DiscrepancyKind.UNASSIGNED
    ]
    assert [(row.amount, row.closure.note if row.closure else "") for row in left] == [
        (1500, "Rent of the room")
    ]
    assert (await report()).balanced
    again = await portal.imported()
    assert (again.known, again.paid, again.unassigned) == (2, (), ())


async def test_pull_transactions_keep_what_belongs_to_no_payment_too(
    shop: Shop, configure: Callable[..., object]
) -> None:
    configure(mpesa_pull_transactions="auto")
    await shop.paid("611")
    (prompt,) = (await shop.control.ledger())["prompts"]
    async with session_scope() as session:
        # The database was restored from an older copy, which lacks this payment.
        await session.exec(update(Payment).values(account_reference="ENOTHER1", receipt="UKKOTHER01"))
    await pay_unheard(shop)
    await shop.later(76)
    await shop.later(400)
    (stored,) = await rows(UnassignedTransaction)
    assert (stored.receipt, stored.account) == (prompt["receipt"], prompt["reference"])
    assert [payment.state for payment in await payments()][-2:] == [
        PaymentState.PAID,
        PaymentState.NEEDS_REVIEW,
    ]
    # Its account number names the order, which needs no more money.
    assert [discrepancy.kind for discrepancy in (await report()).discrepancies] == [DiscrepancyKind.IN_REVIEW]


async def test_a_payment_that_was_believed_cancelled_is_paid_by_the_statement(shop: Shop) -> None:
    await shop.control.post("next", result_code="1032")
    await shop.paid()
    (payment,) = await payments()
    portal = Portal()
    portal.add("UKK1B2C3D4", 20, payment.account_reference)
    assert [line.receipt for line in (await portal.imported()).paid] == ["UKK1B2C3D4"]
    assert (await states(), len(await enrolments())) == ([PaymentState.PAID], 1)


async def post(
    shop: Shop, content: bytes, role: Role | None = Role.FINANCE, origin: str = ORIGIN
) -> Response:
    headers = await session_header(role) if role else {}
    return await shop.http.post(
        STATEMENT_IMPORT,
        files={"statement": ("statement.csv", content)},
        headers={**headers, "Origin": origin},
    )


async def test_staff_import_a_file_and_see_what_came_of_it(shop: Shop) -> None:
    await pay_unheard(shop)
    (payment,) = await payments()
    portal = Portal()
    portal.add("UKK1B2C3D4", 20, payment.account_reference)
    portal.add("UKK0000009", 30, "RENT", amount=1500)
    portal.lines.append("UKK0000010,soon,,,Completed,5,,,,,,,")
    answer = await post(shop, portal.file())
    (stored,) = await rows(StatementImport)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/admin/statements?import={stored.id}")
    result = read_result(stored)
    assert await read_groups() == {
        "Could not be read: 1": [("Line 5: its completion time is not valid", "")],
        "No matching order: 1": [
            (
                "Line 4: UKK0000009, KES 1,500, account RENT, 0*** *** 111",
                "/admin/transaction?ref=UKK0000009",
            )
        ],
        "Now paid: 1": [
            (
                f"Line 3: UKK1B2C3D4, KES 15,000, account {payment.account_reference}, Amina Wanjirũ",
                f"/admin/order?ref={(await orders())[0].reference}",
            )
        ],
    }
    assert describe_result(result) == [
        "3 lines: 2 payments received, 0 fees, withdrawals and reversed payments.",
        "0 payments were recorded already.",
        "Payments missing from this file are left as they are: some lines could not be read.",
    ]
    (entry,) = await rows(AuditEntry)
    assert (entry.action, entry.detail) == (
        "statement.imported",
        "1 paid, 0 to review, 1 unassigned, 0 reversed, 0 ended without payment, 0 known, 1 not read",
    )


async def read_groups() -> dict[str, list[tuple[str, str]]]:
    """Title of each group on the screen of the last import, with text and address of its lines."""
    result = read_result((await rows(StatementImport))[-1])
    async with read_scope() as session:
        groups = group_lines(result, await find_payers(session, result))
    return {group.title: [(line.text, line.href) for line in group.lines] for group in groups}


async def test_the_report_of_an_import_stays_true_and_follows_what_staff_do_later(shop: Shop) -> None:
    await shop.control.post("next", result_code="1032")
    await shop.paid("611")
    await shop.control.post("next", result_code="1032")
    await shop.paid("612")
    first, second = await orders()
    portal = Portal()
    # By hand, with the reference of the order, which M-Pesa has not reported.
    portal.add("UKK0000001", 20, first.reference)
    portal.add("UKK0000002", 30, "FAITH", phone="612")
    assert (await post(shop, portal.file())).status_code == 303
    paid = {"Now paid: 1": [(f"Line 3: UKK0000001, KES 15,000, account {first.reference.replace('-', '')}, Amina Wanjirũ",
                                f"/admin/order?ref={first.reference}")]}  # fmt: skip
    assert await read_groups() == {
        "No matching order: 1": [
            (
                "Line 4: UKK0000002, KES 15,000, account FAITH, 0*** *** 612",
                "/admin/transaction?ref=UKK0000002",
            )
        ],
        **paid,
    }
    assert (await orders())[0].state is OrderState.PAID
    async with session_scope() as session:
        await assign_transaction(session, "UKK0000002", second.reference, "", STAFF)
    assert await read_groups() == {
        "No matching order: 1": [
            (
                "Line 4: UKK0000002, KES 15,000, account FAITH, Amina Wanjirũ, assigned later",
                f"/admin/order?ref={second.reference}",
            )
        ],
        **paid,
    }
    assert [entry.detail for entry in await rows(AuditEntry)] == [
        "1 paid, 0 to review, 1 unassigned, 0 reversed, 0 ended without payment, 0 known, 0 not read"
    ]


async def test_another_import_corrects_the_day_of_what_is_unassigned(shop: Shop) -> None:
    await shop.paid("611")
    portal = Portal()
    portal.add(str((await payments())[-1].receipt), 0, "X")
    portal.add("UKK0000009", 30, "JANE")
    await portal.imported()
    async with session_scope() as session:
        # As an earlier file was read.
        misread = FRIDAY_NOON - timedelta(days=300)
        await session.exec(update(UnassignedTransaction).values(booked_at=misread))
        assert await expire_unassigned(session, FRIDAY_NOON, 20) == 0
    assert [line.receipt for line in (await portal.imported()).unassigned] == ["UKK0000009"]
    (stored,) = await rows(UnassignedTransaction)
    assert (stored.booked_at, stored.account) == (FRIDAY_NOON + timedelta(seconds=30), "JANE")


async def test_another_import_corrects_the_day_of_what_was_assigned(shop: Shop) -> None:
    await shop.paid("611")
    await shop.paid("032")
    reference = (await orders())[-1].reference
    portal = Portal()
    portal.add(str((await payments())[0].receipt), 0, "X")
    portal.add("UKK0000009", 30, "JANE")
    await portal.imported()
    misread = FRIDAY_NOON - timedelta(days=300)
    async with session_scope() as session:
        # As an earlier file was read.
        await session.exec(update(UnassignedTransaction).values(booked_at=misread))
    async with session_scope() as session:
        await assign_transaction(session, "UKK0000009", reference, "", STAFF)
    assert [payment.paid_at for payment in await payments()][-1] == misread
    for _ in range(2):
        assert (await portal.imported()).known == 2
    right = FRIDAY_NOON + timedelta(seconds=30)
    assert [payment.paid_at for payment in await payments()][-1] == right
    assert [enrolment.created_at for enrolment in await enrolments()][-1] == right
    (stored,) = await rows(UnassignedTransaction)
    assert stored.booked_at == right
    seen = await report()
    assert (seen.received, seen.receipts, seen.enrolments, seen.balanced) == (2 * PRICE, 2, 2, True)
    corrected = [
        order_event.why for order_event in await rows(OrderEvent) if "M-Pesa's statement" in order_event.why
    ]
    assert corrected == ["paid on Friday 20 November 2026, 12:00, according to M-Pesa's statement"]


async def test_a_day_that_a_callback_has_stated_stays(shop: Shop) -> None:
    await shop.paid("611")
    (payment,) = await payments()
    portal = Portal()
    portal.add(str(payment.receipt), 86_400, "X")
    shop.move(FRIDAY_NOON + timedelta(days=2))
    await portal.imported()
    assert [payment.paid_at for payment in await payments()] == [payment.paid_at]


async def test_a_statement_that_dates_a_payment_long_after_it_was_received_is_refused(shop: Shop) -> None:
    await shop.paid("611")
    portal = Portal()
    portal.add(str((await payments())[-1].receipt), 20 * 86400, "X")
    portal.add("UKK0000009", 21 * 86400, "JANE")
    shop.move(FRIDAY_NOON + timedelta(days=30))
    with pytest.raises(InputRejected, match="days and months may be swapped"):
        await portal.imported()
    assert await rows(UnassignedTransaction) == []


async def test_a_file_that_is_no_statement_is_refused_with_its_reason(shop: Shop) -> None:
    for content, said in (
        (b"", "choose the file"),
        (b"PK\x03\x04", "Excel workbook cannot be read"),
        (b"a,b\n", "not an M-Pesa statement"),
    ):
        answer = await post(shop, content)
        query = dict(parse_qsl(urlsplit(answer.headers["location"]).query))
        assert said in read_problem(query)
        # No other party can put words there.
        assert read_problem({**query, "problem": "Call this number"}) == ""
    assert await rows(StatementImport) == []


@pytest.mark.parametrize(
    ("role", "origin", "status"),
    [
        (None, ORIGIN, 401),
        (Role.FRONT_DESK, ORIGIN, 403),
        (Role.VIEWER, ORIGIN, 403),
        (Role.FINANCE, "https://elsewhere.example", 403),
    ],
)
async def test_only_finance_imports_and_only_from_our_own_page(
    shop: Shop, role: Role | None, origin: str, status: int
) -> None:
    assert (await post(shop, Portal().file(), role, origin)).status_code == status
    assert await rows(StatementImport) == []


async def test_who_paid_is_blanked_after_its_time_and_the_money_stays(shop: Shop) -> None:
    await pay_unheard(shop)
    portal = Portal()
    portal.add("UKK0000009", 30, "JANE")
    await portal.imported()
    later = datetime.max.replace(tzinfo=FRIDAY_NOON.tzinfo)
    async with session_scope() as session:
        assert await expire_unassigned(session, FRIDAY_NOON, 20) == 0
        assert [await expire_unassigned(session, later, 20) for _ in range(2)] == [1, 0]
    (stored,) = await rows(UnassignedTransaction)
    assert (stored.receipt, stored.amount, stored.phone, stored.account) == ("UKK0000009", "15000.00", "", "")
