"""Refunds in parts: each is a row of its own, and a payment knows their sum.

Revision: 0022, after 0021
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0022'
down_revision = '0021'
branch_labels = None
depends_on = None

# Until now only whole payments were refunded; who recorded it is in the history.
FILL = """
INSERT INTO refunds (payment_id, amount, reference, reason, refunded_at, refunded_by)
SELECT payments.id, payments.amount, coalesce(payments.refund_reference, 'NOT STATED ' || payments.id), payments.refund_reason,
  coalesce(payments.refunded_at, payments.settled_at, payments.created_at),
  coalesce((
    SELECT max(order_events.actor) FROM order_events
    WHERE order_events.payment_id = payments.id AND order_events.to_state = 'refunded' AND order_events.from_state <> 'refunded'
  ), '')
FROM payments WHERE payments.state = 'refunded'
"""
# What was refunded in parts stays in the history.
RESTORE = """
UPDATE payments SET
  refund_reference = (SELECT reference FROM refunds WHERE id = (SELECT max(id) FROM refunds WHERE payment_id = payments.id)),
  refund_reason = (SELECT reason FROM refunds WHERE id = (SELECT max(id) FROM refunds WHERE payment_id = payments.id)),
  refunded_at = (SELECT refunded_at FROM refunds WHERE id = (SELECT max(id) FROM refunds WHERE payment_id = payments.id))
WHERE state = 'refunded' AND refunded > 0
"""


def upgrade() -> None:
    op.create_table('refunds',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('payment_id', sa.Integer(), nullable=False),
    sa.Column('amount', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
    sa.Column('reason', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.Column('refunded_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('refunded_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.CheckConstraint('amount >= 1', name=op.f('ck_refunds_amount_positive')),
    sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_refunds_payment_id_payments')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_refunds')),
    sa.UniqueConstraint('reference', name=op.f('uq_refunds_reference'))
    )
    with op.batch_alter_table('refunds', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_refunds_payment_id'), ['payment_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_refunds_refunded_at'), ['refunded_at'], unique=False)
    op.execute(FILL)
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.add_column(sa.Column('refunded', sa.Integer(), server_default='0', nullable=False))
    op.execute("UPDATE payments SET refunded = amount WHERE state = 'refunded'")
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.alter_column('refunded', existing_type=sa.Integer(), server_default=None)
        batch_op.create_check_constraint(batch_op.f('ck_payments_refunded_within_amount'), 'refunded >= 0 AND refunded <= amount')
        batch_op.drop_index(batch_op.f('ix_payments_refunded_at'))
        batch_op.drop_constraint(batch_op.f('uq_payments_refund_reference'), type_='unique')
        batch_op.drop_column('refund_reason')
        batch_op.drop_column('refunded_at')
        batch_op.drop_column('refund_reference')


def downgrade() -> None:
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.add_column(sa.Column('refund_reference', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True))
        batch_op.add_column(sa.Column('refunded_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('refund_reason', sqlmodel.sql.sqltypes.AutoString(length=500), server_default='', nullable=False))
    op.execute(RESTORE)
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.alter_column('refund_reason', existing_type=sa.String(length=500), server_default=None)
        batch_op.create_unique_constraint(batch_op.f('uq_payments_refund_reference'), ['refund_reference'])
        batch_op.create_index(batch_op.f('ix_payments_refunded_at'), ['refunded_at'], unique=False)
        batch_op.drop_constraint(batch_op.f('ck_payments_refunded_within_amount'), type_='check')
        batch_op.drop_column('refunded')
    op.drop_table('refunds')
