"""One present order of each person for a course, orders placed after another on purpose, and who made an order.

Revision: 0012, after 0011
"""

import hashlib

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0012'
down_revision = '0011'
branch_labels = None
depends_on = None

ORDERS = sa.table(
    'orders', sa.column('id', sa.Integer()), sa.column('email', sa.String()), sa.column('course_slug', sa.String()),
    sa.column('state', sa.String()), sa.column('open_key', sa.String()),
)
PAID_OR_MAY_BE = ('awaiting', 'paid', 'free', 'needs_review')


def upgrade() -> None:
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.add_column(sa.Column('previous_order_id', sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column('client_digest', sqlmodel.sql.sqltypes.AutoString(length=64), server_default='', nullable=False))
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.alter_column('client_digest', existing_type=sa.String(length=64), server_default=None)
        batch_op.create_unique_constraint(batch_op.f('uq_orders_previous_order_id'), ['previous_order_id'])
        batch_op.create_foreign_key(batch_op.f('fk_orders_previous_order_id_orders'), 'orders', ['previous_order_id'], ['id'])
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.create_index('ix_payments_phone_created_at', ['phone', 'created_at'], unique=False)
    _claim_anew()


def _claim_anew() -> None:
    """The newest order of a person for a course that is paid or may be becomes the present one."""
    connection = op.get_bind()
    connection.execute(sa.update(ORDERS).values(open_key=None))
    fill = sa.update(ORDERS).where(ORDERS.c.id == sa.bindparam('row')).values(open_key=sa.bindparam('digest'))
    wanted = sa.select(ORDERS.c.id, ORDERS.c.email, ORDERS.c.course_slug).where(
        ORDERS.c.email != '', ORDERS.c.state.in_(PAID_OR_MAY_BE)
    )
    newest = {
        hashlib.sha256(f"{row.email.casefold()}\n{row.course_slug}".encode()).hexdigest(): row.id
        for row in connection.execute(wanted.order_by(ORDERS.c.id))
    }
    if newest:
        connection.execute(fill, [{'row': row, 'digest': digest} for digest, row in newest.items()])


def downgrade() -> None:
    """Later orders are recognised by their content."""
    op.execute('UPDATE orders SET open_key = NULL')
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.drop_index('ix_payments_phone_created_at')
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_orders_previous_order_id_orders'), type_='foreignkey')
        batch_op.drop_constraint(batch_op.f('uq_orders_previous_order_id'), type_='unique')
        batch_op.drop_column('client_digest')
        batch_op.drop_column('previous_order_id')
