"""Reports over a year read payments from an index alone.

Revision: 0034, after 0033
"""

from alembic import op


revision = '0034'
down_revision = '0033'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.create_index('ix_payments_settled', ['settled_at', 'state', 'order_id', 'amount', 'receipt'], unique=False)
        batch_op.drop_index(batch_op.f('ix_payments_settled_at'))



def downgrade() -> None:
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_payments_settled_at'), ['settled_at'], unique=False)
        batch_op.drop_index('ix_payments_settled')
