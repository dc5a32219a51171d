"""Payments to the Paybill that M-Pesa reports are handled like callbacks: where that fails, at their due time.

Revision: 0024, after 0023
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0024'
down_revision = '0023'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('unassigned_transactions', schema=None) as batch_op:
        batch_op.add_column(sa.Column('due_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('leased_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.create_index(batch_op.f('ix_unassigned_transactions_due_at'), ['due_at'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('unassigned_transactions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_unassigned_transactions_due_at'))
        batch_op.drop_column('leased_until')
        batch_op.drop_column('due_at')
