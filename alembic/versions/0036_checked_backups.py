"""The last checked backup is a row of the database that it is of.

Revision: 0036, after 0035
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0036'
down_revision = '0035'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('checked_backups',
    sa.Column('taken_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('size_bytes', sa.BigInteger(), nullable=False),
    sa.Column('seconds', sa.Float(), nullable=False),
    sa.PrimaryKeyConstraint('taken_at', name=op.f('pk_checked_backups'))
    )


def downgrade() -> None:
    op.drop_table('checked_backups')
