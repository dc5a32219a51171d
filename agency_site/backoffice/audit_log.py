"""The audit log as a list."""

from sqlalchemy import ColumnElement, or_
from sqlmodel import col, select

from agency_site.auth.rules import Permission
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.audit_labels import action_label, action_labels, record_page
from agency_site.backoffice.lists.definition import (
    Cell,
    Column,
    Days,
    ListDefinition,
    beginning,
    each,
    moment_cell,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.ids import reference_in


def _matches_entry(word: str) -> ColumnElement[bool]:
    # Prefixes, which indexes can find. References are stored in upper case, the rest in lower case.
    return or_(
        beginning(col(AuditEntry.reference), word.upper()),
        *_matches_reference(reference_in(word).upper()),
        beginning(col(AuditEntry.actor), word),
        beginning(col(AuditEntry.action), word),
        col(AuditEntry.action).in_(
            [action for action, label in action_labels().items() if word in label.lower()]
        ),
    )


def _matches_reference(reference: str) -> list[ColumnElement[bool]]:
    if not reference:
        return []
    stored = col(AuditEntry.reference)
    # Without the prefix of the reference only its end is known, which no index finds.
    return [stored == reference if "-" in reference else stored.endswith(reference, autoescape=True)]


AUDIT_LOG = ListDefinition(
    name="audit-log",
    title="Audit log",
    noun=("entry", "entries"),
    path="/admin/audit",
    permission=Permission.SEE_AUDIT,
    rows=lambda: select(AuditEntry),
    identity=col(AuditEntry.id),
    reference=lambda entry: str(entry.id),
    columns=(
        Column("at", "When", lambda entry: moment_cell(entry.at), unit="Nairobi", sort=col(AuditEntry.at)),
        Column("actor", "Who", lambda entry: Cell(entry.actor), sort=col(AuditEntry.actor)),
        Column("action", "What", lambda entry: Cell(action_label(entry.action)), sort=col(AuditEntry.action)),
        Column("reference", "Record", lambda entry: Cell(entry.reference, "strong"), linked=True),
        Column("detail", "What changed", lambda entry: Cell(entry.detail)),
        Column("address", "From", lambda entry: Cell(entry.address)),
        Column("kind", "Record type", lambda entry: Cell(entry.kind), is_shown=False),
        Column("name", "Action key", lambda entry: Cell(entry.action), is_shown=False),
    ),
    order="-at",
    href=lambda entry: record_page(entry.kind, entry.reference),
    filters=(Days("at", "Done", col(AuditEntry.at)),),
    search=each(_matches_entry),
    found_everywhere=False,
    search_hint="Member of staff, action or reference",
    empty="No activity yet.",
)

SCREENS = (list_screen(AUDIT_LOG, icon="lock"),)
