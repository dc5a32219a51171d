"""Searches on PostgreSQL and the list of orders with a coupon use an index.

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
    ('subscribers', 'search'),
)


def upgrade() -> None:
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.create_index(
            'ix_orders_with_coupon', ['created_at', 'id'], unique=False,
            sqlite_where=sa.text("coupon_code <> ''"), postgresql_where=sa.text("coupon_code <> ''"),
        )
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
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.drop_index('ix_orders_with_coupon')
