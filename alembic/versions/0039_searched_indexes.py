"""Searches on SQLite read the index of the list's order, which holds the searched text, instead of the wide rows.

Indexes of that text alone, which no search reads any more, go.

Revision: 0039, after 0038
"""

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
}
LONGEST = 600
"""Characters, as `form_input.search_text` cuts it: PostgreSQL refuses an index entry of more than 2,704 bytes."""


def upgrade() -> None:
    for table in ('orders', 'outbox_messages'):
        op.execute(f'UPDATE {table} SET search = substr(search, 1, {LONGEST}) WHERE length(search) > {LONGEST}')
    _replace(BEFORE, NOW)


def downgrade() -> None:
    _replace(NOW, BEFORE)


def _replace(old: dict[str, tuple[str, list[str]]], new: dict[str, tuple[str, list[str]]]) -> None:
    for name, (table, _) in old.items():
        op.drop_index(name, table)
    for name, (table, columns) in new.items():
        op.create_index(name, table, columns)
