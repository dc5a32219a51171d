"""Orders have the network from which they came: one network keeps only so many unpaid places.

Revision: 0049, after 0048
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op


revision = '0049'
down_revision = '0048'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('orders', sa.Column('network', sqlmodel.sql.sqltypes.AutoString(length=64), server_default='', nullable=False))


def downgrade() -> None:
    op.drop_column('orders', 'network')
