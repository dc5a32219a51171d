"""Searches on SQLite read the index of the list's order, which holds the searched text, instead of the wide rows.

Indexes of that text alone, and of trigrams of what is searched by its beginning, are read no more, and go.

Revision: 0039, after 0038
"""

import sqlalchemy as sa
from alembic import op


revision = '0039'
down_revision = '0038'
branch_labels = None
depends_on = None

BEFORE = {
    'ix_bookings_listed': ('bookings', ['starts_at', 'id', 'search']),
    'ix_bookings_created_listed': ('bookings', ['created_at', 'id']),
    'ix_orders_created_at_id': ('orders', ['created_at', 'id']),
    'ix_outbox_messages_created_at_id': ('outbox_messages', ['created_at', 'id']),
    'ix_enquiries_kind_created': ('enquiries', ['kind', 'created_at', 'id']),
    'ix_enquiries_search': ('enquiries', ['search']),
    'ix_comments_created': ('comments', ['created_at', 'id']),
    'ix_comments_search': ('comments', ['search']),
    'ix_subscribers_created': ('subscribers', ['created_at', 'id']),
    'ix_subscribers_search': ('subscribers', ['search']),
    'ix_webinar_registrations_created': ('webinar_registrations', ['created_at', 'id']),
    'ix_webinar_registrations_search': ('webinar_registrations', ['search']),
    'ix_newsletter_issues_search': ('newsletter_issues', ['search']),
    'ix_audit_entries_record': ('audit_entries', ['kind', 'reference']),
}
NOW = {
    'ix_bookings_listed': ('bookings', ['starts_at', 'id']),
    'ix_bookings_searched': ('bookings', ['created_at', 'id', 'search']),
    'ix_orders_searched': ('orders', ['created_at', 'id', 'search']),
    'ix_outbox_messages_searched': ('outbox_messages', ['created_at', 'id', 'search']),
    'ix_enquiries_searched': ('enquiries', ['kind', 'created_at', 'id', 'search']),
    'ix_comments_searched': ('comments', ['created_at', 'id', 'search']),
    'ix_subscribers_searched': ('subscribers', ['created_at', 'id', 'search']),
    'ix_webinar_registrations_searched': ('webinar_registrations', ['created_at', 'id', 'search']),
    'ix_audit_entries_record': ('audit_entries', ['reference', 'kind']),
}
UNREAD = (('payments', 'receipt'), ('audit_entries', 'actor'), ('audit_entries', 'action'))
LONGEST = 600
"""Characters, as `form_input.search_text` cuts it: PostgreSQL refuses an index entry of more than 2,704 bytes."""


def upgrade() -> None:
    for table in ('orders', 'outbox_messages'):
        op.execute(f'UPDATE {table} SET search = substr(search, 1, {LONGEST}) WHERE length(search) > {LONGEST}')
    _replace(BEFORE, NOW)
    if op.get_bind().dialect.name == 'postgresql':
        for table, column in UNREAD:
            op.execute(f'DROP INDEX IF EXISTS {_name(table, column)}')


def downgrade() -> None:
    _replace(NOW, BEFORE)
    # Where 0035 could index trigrams, those of others are still there.
    if op.get_bind().dialect.name == 'postgresql' and _has_trigrams():
        for table, column in UNREAD:
            op.execute(f'CREATE INDEX {_name(table, column)} ON {table} USING gin ({column} gin_trgm_ops)')


def _has_trigrams() -> bool:
    return bool(op.get_bind().scalar(sa.text("SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'")))


def _name(table: str, column: str) -> str:
    return f'ix_{table}_{column}_trgm'


def _replace(old: dict[str, tuple[str, list[str]]], new: dict[str, tuple[str, list[str]]]) -> None:
    for name, (table, _) in old.items():
        op.drop_index(name, table)
    for name, (table, columns) in new.items():
        op.create_index(name, table, columns)
