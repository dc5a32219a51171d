"""Single places of an order can be ended, and entries of waiting lists count once their address is confirmed.

Whoever waits already keeps waiting: the entry counts as confirmed since it was made.

Revision: 0047, after 0046
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = '0047'
down_revision = '0046'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('learners', sa.Column('ended_at', UTCDateTime(), nullable=True))
    op.add_column('waiting_list_entries', sa.Column('confirmed_at', UTCDateTime(), nullable=True))
    op.execute(sa.text('UPDATE waiting_list_entries SET confirmed_at = created_at'))


def downgrade() -> None:
    op.drop_column('waiting_list_entries', 'confirmed_at')
    op.drop_column('learners', 'ended_at')
