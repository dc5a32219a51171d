"""Files for staff: receipt and invoice of an order, the reconciliation report as CSV."""

import asyncio
import csv
import io
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from agency_site.auth import audit
from agency_site.auth.rules import Permission
from agency_site.backoffice.http_access import require_permission
from agency_site.backoffice.lists.export import harmless
from agency_site.backoffice.periods import parse_days
from agency_site.clock import today
from agency_site.db.engine import report_scope, session_scope
from agency_site.features.checkout.admin.reconciliation.report import report_rows
from agency_site.features.checkout.buying.order_status import (
    find_credit_note_for_staff,
    find_invoice_for_staff,
    find_receipt_for_staff,
)
from agency_site.features.checkout.documents.rendering import credit_note_pdf, invoice_pdf, receipt_pdf
from agency_site.features.checkout.payments.documents import MOST_REFUNDS
from agency_site.features.checkout.reconciliation.report import reconciliation_report

router = APIRouter(prefix="/admin/export", include_in_schema=False)
Reference = Annotated[str, Path(max_length=12)]


@router.get("/orders/{reference}/receipt.pdf")
async def receipt(reference: Reference, request: Request) -> Response:
    """Return the PDF receipt of a paid order, as the customer gets it."""
    who = await require_permission(request, Permission.SEE_PAYMENTS, Permission.EXPORT)
    async with session_scope() as session:
        facts = await find_receipt_for_staff(session, reference)
        await audit.record(session, who, "order.receipt_read", "order", facts.reference)
    pdf = await asyncio.to_thread(receipt_pdf, facts)
    return _attachment(pdf, "application/pdf", f"receipt-{facts.reference}.pdf")


@router.get("/orders/{reference}/invoice.pdf")
async def invoice(reference: Reference, request: Request) -> Response:
    """Return the PDF invoice of an order that a company pays for, as the customer gets it."""
    who = await require_permission(request, Permission.SEE_PAYMENTS, Permission.EXPORT)
    async with session_scope() as session:
        facts = await find_invoice_for_staff(session, reference)
        await audit.record(session, who, "order.invoice_read", "order", facts.reference)
    pdf = await asyncio.to_thread(invoice_pdf, facts)
    return _attachment(pdf, "application/pdf", f"invoice-{facts.reference}.pdf")


@router.get("/orders/{reference}/credit-notes/{number}.pdf")
async def credit_note(
    reference: Reference, number: Annotated[int, Path(ge=1, le=MOST_REFUNDS)], request: Request
) -> Response:
    """Return the PDF credit note of a refund, as the customer gets it; refunds of an order are numbered from 1."""
    who = await require_permission(request, Permission.SEE_PAYMENTS, Permission.EXPORT)
    async with session_scope() as session:
        facts = await find_credit_note_for_staff(session, reference, number)
        await audit.record(session, who, "order.credit_note_read", "order", facts.reference)
    pdf = await asyncio.to_thread(credit_note_pdf, facts)
    return _attachment(pdf, "application/pdf", f"credit-note-{facts.number}.pdf")


@router.get("/reconciliation.csv")
async def reconciliation(request: Request) -> Response:
    """Return the report of the days in the address."""
    who = await require_permission(request, Permission.SEE_PAYMENTS, Permission.EXPORT)
    first, last = parse_days(request.query_params, today())
    async with session_scope() as session:
        await audit.record(session, who, "list.exported", "list", "reconciliation", f"{first} to {last}")
    text = io.StringIO()
    report = await reconciliation_report(report_scope, first, last)
    for row in report_rows(report):
        csv.writer(text).writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    # Excel reads a file with a byte order mark as UTF-8.
    return _attachment(
        ("\ufeff" + text.getvalue()).encode(), "text/csv; charset=utf-8", _report_name(first, last)
    )


def _report_name(first: date, last: date) -> str:
    return f"reconciliation-{first}.csv" if first == last else f"reconciliation-{first}-to-{last}.csv"


def _attachment(body: bytes, kind: str, name: str) -> Response:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(body, media_type=kind, headers=headers)
