"""Reports count money on the day it was paid; callbacks keep the time that M-Pesa states.

Revision: 0051, after 0050
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0051'
down_revision = '0050'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('callback_inbox', sa.Column('paid_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    # What was recorded by hand on another day counts on that of its payment from now on, and so does its enrolment.
    op.execute(
        "UPDATE enrolments SET created_at = (SELECT payments.paid_at FROM payments WHERE payments.order_id = enrolments.order_id "
        "AND payments.settled_at = enrolments.created_at AND payments.paid_at IS NOT NULL) "
        "WHERE EXISTS (SELECT 1 FROM payments WHERE payments.order_id = enrolments.order_id "
        "AND payments.settled_at = enrolments.created_at AND payments.paid_at IS NOT NULL AND payments.kind <> 'prompt')"
    )
    op.execute(
        "UPDATE payments SET paid_at = settled_at WHERE paid_at IS NULL AND state IN ('paid', 'refunded')"
    )
    op.create_index('ix_payments_state_paid', 'payments', ['state', 'paid_at', 'order_id', 'amount', 'receipt', 'kind'])
    op.drop_index('ix_payments_state_settled', 'payments')


def downgrade() -> None:
    op.create_index('ix_payments_state_settled', 'payments', ['state', 'settled_at', 'order_id', 'amount', 'receipt'])
    op.drop_index('ix_payments_state_paid', 'payments')
    op.execute("UPDATE payments SET paid_at = NULL WHERE kind = 'prompt'")
    op.drop_column('callback_inbox', 'paid_at')
