"""newsletter wishes: interests and consent

Revision: 0002, after 0001
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        # Those who subscribed before were asked for no interests: an empty list, like those of the one-field forms.
        batch_op.add_column(sa.Column('interests', sa.JSON(), server_default=sa.text("'[]'"), nullable=False))
        batch_op.add_column(sa.Column('consented_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        batch_op.drop_column('consented_at')
        batch_op.drop_column('interests')
