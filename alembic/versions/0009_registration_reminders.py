"""When the reminder of a webinar registration is due.

Revision: 0009, after 0008
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0009'
down_revision = '0008'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('webinar_registrations', schema=None) as batch_op:
        batch_op.add_column(sa.Column('due_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('leased_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.create_index(batch_op.f('ix_webinar_registrations_due_at'), ['due_at'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('webinar_registrations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_webinar_registrations_due_at'))
        batch_op.drop_column('leased_until')
        batch_op.drop_column('due_at')
