"""Returns of payments that are not known yet.

Revision: 0052, after 0051
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0052'
down_revision = '0051'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('unmatched_returns',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('receipt', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('original', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('amount', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('booked_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('found_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_unmatched_returns')),
    sa.UniqueConstraint('receipt', 'original', name=op.f('uq_unmatched_returns_receipt_original'))
    )
    op.create_index(op.f('ix_unmatched_returns_original'), 'unmatched_returns', ['original'], unique=False)


def downgrade() -> None:
    op.drop_table('unmatched_returns')
