"""Keys of staff submits that were applied.

Revision: 0013, after 0012
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0013'
down_revision = '0012'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'staff_submissions',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('account_id', sa.Integer(), nullable=False),
        sa.Column('key', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_submissions_account_id_staff_accounts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_submissions')),
        sa.UniqueConstraint('account_id', 'key', name=op.f('uq_staff_submissions_account_id_key')),
    )
    with op.batch_alter_table('staff_submissions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_staff_submissions_at'), ['at'], unique=False)


def downgrade() -> None:
    op.drop_table('staff_submissions')
