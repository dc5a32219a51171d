"""The audit log as a list."""

from sqlalchemy import ColumnElement, or_
from sqlmodel import col, select

from agency_site.staff.list_view import list_screen
from agency_site.staff.listing import Cell, Column, Days, Listing, each, when
from agency_site.staff.rules import Right
from agency_site.staff.tables import AuditEntry


def _search(word: str) -> ColumnElement[bool]:
    # Exact beginnings only, so that the indexes answer: references stand in capitals, the rest in small letters.
    return or_(
        col(AuditEntry.reference).startswith(word.upper(), autoescape=True),
        col(AuditEntry.actor).startswith(word, autoescape=True),
        col(AuditEntry.action).startswith(word, autoescape=True),
    )


AUDIT_LOG = Listing(
    name="audit-log",
    title="Audit log",
    noun=("entry", "entries"),
    path="/admin/audit",
    right=Right.SEE_AUDIT,
    rows=lambda: select(AuditEntry),
    identity=col(AuditEntry.id),
    reference=lambda entry: str(entry.id),
    columns=(
        Column("at", "When", lambda entry: Cell(when(entry.at)), sort=col(AuditEntry.at)),
        Column("actor", "Who", lambda entry: Cell(entry.actor), sort=col(AuditEntry.actor)),
        Column("action", "What", lambda entry: Cell(entry.action), sort=col(AuditEntry.action)),
        Column("kind", "Record", lambda entry: Cell(entry.kind)),
        Column("reference", "Reference", lambda entry: Cell(entry.reference, "strong")),
        Column("detail", "Detail", lambda entry: Cell(entry.detail)),
        Column("address", "From", lambda entry: Cell(entry.address)),
    ),
    order="-at",
    filters=(Days("at", "Done", col(AuditEntry.at)),),
    search=each(_search),
    found_everywhere=False,
    search_hint="Who, what or which reference",
    empty="Nothing has been done yet.",
)

SCREENS = (list_screen(AUDIT_LOG, icon="lock"),)
