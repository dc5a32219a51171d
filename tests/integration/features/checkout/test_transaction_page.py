"""The page of a payment without an order: staff assign it, or record that it was sent back."""

from agency_site.auth.rules import Role
from agency_site.db.engine import read_scope
from agency_site.features.checkout.admin.transaction import TransactionState
from agency_site.features.checkout.discrepancies import DiscrepancyKind as Kind
from agency_site.features.checkout.rules import OrderState
from agency_site.features.checkout.tables import UnassignedTransaction
from agency_site.features.checkout.unassigned import find_known_receipts
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.checkout.conftest import Shop, orders, rows
from tests.integration.features.checkout.orders import report
from tests.integration.features.checkout.test_manual_payments import RECEIPT, book, unpaid

STAFF = "njeri@mwanga.example"
RETURN = {"refund_reference": "UKM0RETURN", "reason": "for another company"}


async def opened(receipt: str = RECEIPT) -> Tab:
    await hire(STAFF, Role.FINANCE)
    return await open_page(receipt)


async def open_page(receipt: str) -> Tab:
    page = Tab(TransactionState, (await enter(STAFF)).token, f"/admin/transaction?ref={receipt}")
    await page.run("open_record")
    return page


async def test_after_it_was_assigned_the_page_leads_to_the_order_and_shows_no_error(shop: Shop) -> None:
    reference = await unpaid(shop)
    await book()
    page = await opened()
    assert [one.reference for one in page.state.suggestions] == [reference]
    await page.run("assign", form={"order": reference})
    assert (await orders())[0].state is OrderState.PAID
    await page.run("refresh")
    assert (page.state.problem, page.state.facts["order"], page.state.suggestions) == ("", reference, [])


async def test_a_part_is_assigned_or_accepted_as_all(shop: Shop) -> None:
    reference = await unpaid(shop)
    await book(amount="7500")
    page = await opened()
    await page.run("assign", form={"order": reference, "in_full": "on"})
    assert list(page.state.errors) == ["note"]
    await page.run("assign", form={"order": reference, "in_full": "on", "note": "agreed"})
    assert (await orders())[0].state is OrderState.PAID


async def test_its_return_is_recorded_once_and_closes_it(shop: Shop) -> None:
    await book()
    page = await opened()
    await page.run("record_return", form={"refund_reference": RECEIPT, "reason": "x"})
    assert list(page.state.errors) == ["refund_reference"]
    await page.run("record_return", form=RETURN)
    (row,) = await rows(UnassignedTransaction)
    assert (row.returned_as, row.closing_note) == (
        "UKM0RETURN",
        "Returned as UKM0RETURN: for another company",
    )
    found = await report()
    assert ([one.kind for one in found.discrepancies], found.balanced) == ([Kind.UNASSIGNED], True)
    async with read_scope() as session:
        assert await find_known_receipts(session, ["UKM0RETURN"]) == {"UKM0RETURN"}
    await book("UKKBYHAND2")
    other = await open_page("UKKBYHAND2")
    await other.run("record_return", form=RETURN)
    assert list(other.state.errors) == ["refund_reference"]
    assert page.state.facts["closed"] == "yes"
