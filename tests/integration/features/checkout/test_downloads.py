"""Receipts and the reconciliation report as files: their content, and access for staff only."""

import csv
import io

import pytest
from pypdf import PdfReader

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from tests.integration.features.checkout.conftest import Shop, orders, payments, rows
from tests.integration.features.checkout.orders import refund, under_review
from tests.integration.staff_sessions import session_header

BOOKS = "/admin/export/reconciliation.csv"


async def test_the_receipt_is_the_one_that_its_owner_gets(shop: Shop) -> None:
    await shop.paid("111")
    (order,), (payment,) = await orders(), await payments()
    path = f"/admin/export/orders/{order.reference.lower()}/receipt.pdf"
    answer = await shop.http.get(path, headers=await session_header(Role.FRONT_DESK))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert f'filename="receipt-{order.reference}.pdf"' in answer.headers["content-disposition"]
    (page,) = PdfReader(io.BytesIO(answer.content)).pages
    assert {order.reference, payment.receipt} <= set(page.extract_text().split())
    (entry,) = await rows(AuditEntry)
    assert (entry.action, entry.reference) == ("order.receipt_read", order.reference)


async def test_without_money_there_is_no_receipt(shop: Shop) -> None:
    await shop.paid("032")
    await shop.paid("111")
    cancelled, returned = await orders()
    await refund(number=1)
    who = await session_header()
    for reference in (cancelled.reference, returned.reference, "EN-XXXXXX"):
        answer = await shop.http.get(f"/admin/export/orders/{reference}/receipt.pdf", headers=who)
        assert answer.status_code == 404
    assert await rows(AuditEntry) == []


async def test_the_report_names_sums_and_differences(shop: Shop) -> None:
    await under_review(shop)
    who = await session_header(Role.FINANCE)
    span = {"from": "2026-11-01", "to": "2026-11-30"}
    answer = await shop.http.get(BOOKS, params=span, headers=who)
    assert 'filename="reconciliation-2026-11-01-to-2026-11-30.csv"' in answer.headers["content-disposition"]
    heads, *csv_rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    (order,) = await orders()
    total, discrepancy = (dict(zip(heads, row, strict=True)) for row in csv_rows)
    assert (total["Row"], total["Name"], total["Orders paid"]) == ("Total", "1 to 30 November 2026", "0")
    assert (discrepancy["Name"], discrepancy["Order"], discrepancy["Difference (KES)"]) == (
        "Needs review", order.reference, "15000",
    )  # fmt: skip


@pytest.mark.parametrize("path", [BOOKS, "/admin/export/orders/EN-XXXXXX/receipt.pdf"])
async def test_strangers_and_editors_get_nothing(shop: Shop, path: str) -> None:
    assert (await shop.http.get(path)).status_code == 401
    assert (await shop.http.get(path, headers=await session_header(Role.EDITOR))).status_code == 403
    assert [entry.action for entry in await rows(AuditEntry)] == ["staff.right_refused"]


@pytest.mark.parametrize(
    "span", [{"from": "junk"}, {"from": "0001-01-01"}, {"to": "9999-12-31"}, {"from": ""}]
)
async def test_days_that_are_none_mean_today(shop: Shop, span: dict[str, str]) -> None:
    answer = await shop.http.get(BOOKS, params=span, headers=await session_header())
    assert "Friday 20 November 2026" in answer.text
