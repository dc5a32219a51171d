"""Filters of lists, what the navigation counts, and searches on PostgreSQL use an index.

Revision: 0035, after 0034
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import DBAPIError


revision = '0035'
down_revision = '0034'
branch_labels = None
depends_on = None

SEARCHED = (
    ('orders', 'search'), ('payments', 'phone'), ('outbox_messages', 'search'), ('enquiries', 'search'), ('comments', 'search'),
    ('subscribers', 'search'), ('payments', 'receipt'), ('audit_entries', 'reference'), ('audit_entries', 'actor'),
    ('audit_entries', 'action'),
)


PARTIAL = {
    'ix_orders_with_coupon': ('orders', ['created_at', 'id'], "coupon_code <> ''"),
    'ix_orders_not_erased': (
        'orders', ['state', 'created_at'], "(email <> '' OR phone <> '' OR first_name <> '' OR last_name <> '')",
    ),
    'ix_payments_in_review': ('payments', ['state', 'order_id'], "state = 'needs_review'"),
    'ix_enrolments_ended': ('enrolments', ['created_at', 'id'], 'ended_at IS NOT NULL'),
}
WHOLE = {
    'ix_bookings_state_created_listed': ('bookings', ['state', 'created_at', 'id']),
    'ix_payments_state_settled': ('payments', ['state', 'settled_at', 'order_id', 'amount', 'receipt']),
    'ix_payments_kind_created_at_id': ('payments', ['kind', 'created_at', 'id']),
    'ix_enrolments_course_slug_created_at': ('enrolments', ['course_slug', 'created_at', 'id']),
    'ix_enrolments_created': ('enrolments', ['created_at', 'id', 'order_id', 'course_slug', 'course_name']),
    'ix_enquiries_kind_reference': ('enquiries', ['kind', 'reference', 'id']),
    'ix_audit_entries_actor_id': ('audit_entries', ['actor', 'id']),
    'ix_audit_entries_action_id': ('audit_entries', ['action', 'id']),
    'ix_subscribers_source_created': ('subscribers', ['source', 'created_at', 'id']),
}
REPLACED = {
    'ix_payments_settled': ('payments', ['settled_at', 'state', 'order_id', 'amount', 'receipt']),
    'ix_enrolments_course_slug': ('enrolments', ['course_slug']),
    'ix_enrolments_created_at': ('enrolments', ['created_at']),
    'ix_audit_entries_actor': ('audit_entries', ['actor']),
    'ix_audit_entries_action': ('audit_entries', ['action']),
}


def upgrade() -> None:
    for name, (table, columns, condition) in PARTIAL.items():
        where = sa.text(condition)
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
    for name, (table, columns) in WHOLE.items():
        op.create_index(name, table, columns)
    for name, (table, _) in REPLACED.items():
        op.drop_index(name, table)
    if op.get_bind().dialect.name == 'postgresql':
        _index_trigrams()


def _index_trigrams() -> None:
    """As 0006 does for bookings: where PostgreSQL lets us have the extension."""
    connection = op.get_bind()
    try:
        with connection.begin_nested():
            connection.execute(sa.text('CREATE EXTENSION IF NOT EXISTS pg_trgm'))
            for table, column in SEARCHED:
                connection.execute(sa.text(f'CREATE INDEX {_name(table, column)} ON {table} USING gin ({column} gin_trgm_ops)'))
    except DBAPIError:
        pass


def _name(table: str, column: str) -> str:
    return f'ix_{table}_{column}_trgm'


def downgrade() -> None:
    if op.get_bind().dialect.name == 'postgresql':
        for table, column in SEARCHED:
            op.execute(f'DROP INDEX IF EXISTS {_name(table, column)}')
    for name, (table, columns) in REPLACED.items():
        op.create_index(name, table, columns)
    for name, (table, *_) in (PARTIAL | WHOLE).items():
        op.drop_index(name, table)
