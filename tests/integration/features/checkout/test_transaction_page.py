"""The page of a payment without an order: staff assign it, or record that it was sent back."""

import asyncio
from collections.abc import Awaitable

import pytest

from agency_site.auth.rules import Role
from agency_site.backoffice.record_page import RecordState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, SiteError
from agency_site.features.checkout.admin.reconciliation.report import list_methods
from agency_site.features.checkout.direct_payments.manual import assign_transaction, record_return
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.reconciliation.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import find_known_receipts
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.checkout.conftest import Shop, orders, rows
from tests.integration.features.checkout.orders import report, resolve, under_review
from tests.integration.features.checkout.test_manual_payments import RECEIPT, book, unpaid
from tests.integration.features.checkout.test_manual_payments import record as record_by_hand

STAFF = "njeri@mwanga.example"
RETURN = {"refund_reference": "UKM0RETURN", "reason": "for another company"}


async def opened(receipt: str = RECEIPT) -> Tab:
    await hire(STAFF, Role.FINANCE)
    return await open_page(receipt)


async def open_page(receipt: str) -> Tab:
    page = Tab(RecordState, (await enter(STAFF)).token, f"/admin/transaction?ref={receipt}")
    await page.run("open_record")
    return page


async def test_after_it_was_assigned_the_page_leads_to_the_order_and_shows_no_error(shop: Shop) -> None:
    reference = await unpaid(shop)
    await book()
    page = await opened()
    assert [order.label for order in page.state.related["suggested"]] == [reference]
    await page.run("run", key="assign", form={"order": reference})
    assert (await orders())[0].state is OrderState.PAID
    await page.run("refresh")
    facts = {fact.label: fact.text for fact in page.state.details}
    assert (page.state.problem, facts["Order"], page.state.related) == ("", reference, {"suggested": []})
    assert page.state.possible == []


async def test_a_part_is_assigned_or_accepted_as_all(shop: Shop) -> None:
    reference = await unpaid(shop)
    await book(amount="7500")
    page = await opened()
    await page.run("run", key="assign", form={"order": reference, "in_full": "on"})
    assert list(page.state.errors) == ["note"]
    await page.run("run", key="assign", form={"order": reference, "in_full": "on", "note": "agreed"})
    assert (await orders())[0].state is OrderState.PAID


async def test_its_return_is_recorded_once_and_closes_it(shop: Shop) -> None:
    await book()
    page = await opened()
    await page.run("run", key="return", form={"refund_reference": RECEIPT, "reason": "x"})
    assert list(page.state.errors) == ["refund_reference"]
    await page.run("run", key="return", form=RETURN)
    (row,) = await rows(UnassignedTransaction)
    assert (row.refund_reference, row.closing_note) == (
        "UKM0RETURN",
        "Refunded as UKM0RETURN: for another company",
    )
    current_report = await report()
    assert ([discrepancy.kind for discrepancy in current_report.discrepancies], current_report.balanced) == (
        [Kind.UNASSIGNED],
        True,
    )
    assert (current_report.without_order, current_report.returned_without_order) == (15_000, 15_000)
    assert list_methods(current_report)[-1].net == "KES 0"
    async with read_scope() as session:
        assert await find_known_receipts(session, ["UKM0RETURN"]) == {"UKM0RETURN"}
    await book("UKKBYHAND2")
    other = await open_page("UKKBYHAND2")
    await other.run("run", key="return", form=RETURN)
    assert list(other.state.errors) == ["refund_reference"]
    assert page.state.facts["state"] == "Refunded"


async def record() -> None:
    async with session_scope() as session:
        await record_return(session, RECEIPT, Refund("UKM0RETURN", "for another company"), STAFF)
        await asyncio.sleep(0.2)


@pytest.mark.each_database
@pytest.mark.parametrize("assigns_first", [True, False])
async def test_money_is_assigned_or_returned_never_both(shop: Shop, assigns_first: bool) -> None:
    reference = await unpaid(shop)
    await book()

    async def assign() -> None:
        async with session_scope() as session:
            await assign_transaction(session, RECEIPT, reference, "", STAFF)
            await asyncio.sleep(0.2)

    async def later(work: Awaitable[None]) -> None:
        await asyncio.sleep(0.1)
        await work

    first, second = (assign(), record()) if assigns_first else (record(), assign())
    ends = await asyncio.gather(first, later(second), return_exceptions=True)
    assert [isinstance(end, SiteError) for end in ends] == [False, True]
    (row,) = await rows(UnassignedTransaction)
    assert ((await orders())[0].state is OrderState.PAID, row.refund_reference) == (
        (True, None) if assigns_first else (False, "UKM0RETURN")
    )
    if not assigns_first:
        # Neither by its page nor by its receipt.
        page = await opened()
        assert page.state.facts["state"] == "Refunded"
        await page.run("run", key="assign", form={"order": reference})
        assert "was refunded" in page.state.problem
        with pytest.raises(InputRejected, match="was refunded to the payer as UKM0RETURN"):
            await record_by_hand(reference)
        await under_review(shop)
        with pytest.raises(InputRejected, match="was refunded to the payer as UKM0RETURN"):
            await resolve(receipt=RECEIPT, number=-1)
