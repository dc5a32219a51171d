"""An idempotency key names the payment that its request made.

Revision: 0015, after 0014
"""

import sqlalchemy as sa
from alembic import op


revision = '0015'
down_revision = '0014'
branch_labels = None
depends_on = None

KEYS = sa.table(
    'idempotency_keys', sa.column('id', sa.Integer()), sa.column('answer', sa.JSON()), sa.column('payment_id', sa.Integer()),
)
ORDERS = sa.table('orders', sa.column('id', sa.Integer()), sa.column('reference', sa.String()))
PAYMENTS = sa.table(
    'payments', sa.column('id', sa.Integer()), sa.column('order_id', sa.Integer()),
    sa.column('merchant_request_id', sa.String()),
)


def upgrade() -> None:
    with op.batch_alter_table('idempotency_keys', schema=None) as batch_op:
        batch_op.add_column(sa.Column('payment_id', sa.Integer(), nullable=True))
    _find_payments()
    # Refusals without an order, and requests that were being worked on: their orders are recognised by the key's digest.
    op.execute('DELETE FROM idempotency_keys WHERE payment_id IS NULL')
    with op.batch_alter_table('idempotency_keys', schema=None) as batch_op:
        batch_op.alter_column('payment_id', existing_type=sa.Integer(), nullable=False)
        batch_op.create_foreign_key(batch_op.f('fk_idempotency_keys_payment_id_payments'), 'payments', ['payment_id'], ['id'])
        batch_op.create_index(batch_op.f('ix_idempotency_keys_payment_id'), ['payment_id'], unique=False)
        batch_op.drop_column('leased_until')
        batch_op.drop_column('answer')
        batch_op.drop_column('status')


def _find_payments() -> None:
    """The payment of the stored answer: by M-Pesa's id, else the newest of the order."""
    connection = op.get_bind()
    for key in connection.execute(sa.select(KEYS.c.id, KEYS.c.answer)).all():
        answer = key.answer or {}
        of_order = (
            sa.select(PAYMENTS.c.id, PAYMENTS.c.merchant_request_id)
            .join(ORDERS, ORDERS.c.id == PAYMENTS.c.order_id)
            .where(ORDERS.c.reference == answer.get('reference', ''))
        )
        found = connection.execute(of_order.order_by(PAYMENTS.c.id.desc())).all()
        named = [one for one in found if one.merchant_request_id == answer.get('MerchantRequestID')]
        for payment in (named or found)[:1]:
            connection.execute(sa.update(KEYS).where(KEYS.c.id == key.id).values(payment_id=payment.id))


def downgrade() -> None:
    """No answers are stored: orders are recognised by the digest of the key."""
    op.execute('DELETE FROM idempotency_keys')
    with op.batch_alter_table('idempotency_keys', schema=None) as batch_op:
        batch_op.add_column(sa.Column('status', sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column('answer', sa.JSON(), nullable=False))
        batch_op.add_column(sa.Column('leased_until', sa.DateTime(timezone=True), nullable=False))
        batch_op.drop_index(batch_op.f('ix_idempotency_keys_payment_id'))
        batch_op.drop_constraint(batch_op.f('fk_idempotency_keys_payment_id_payments'), type_='foreignkey')
        batch_op.drop_column('payment_id')
