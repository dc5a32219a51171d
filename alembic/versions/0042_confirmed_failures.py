"""Failures that M-Pesa's books have to confirm; the account that a transaction was paid to.

Revision: 0042, after 0041
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0042'
down_revision = '0041'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('payments', sa.Column('failure_seen_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column('unassigned_transactions', sa.Column('short_code', sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False, server_default=''))


def downgrade() -> None:
    op.drop_column('unassigned_transactions', 'short_code')
    op.drop_column('payments', 'failure_seen_at')
