"""Subscribers whose mailbox does not exist get no more issues.

Revision: 0050, after 0049
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op

revision = '0050'
down_revision = '0049'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('subscribers', sa.Column('bounced_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))


def downgrade() -> None:
    op.drop_column('subscribers', 'bounced_at')
