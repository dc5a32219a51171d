"""Why a staff session was ended.

Revision: 0014, after 0013
"""

import sqlalchemy as sa
from alembic import op


revision = '0014'
down_revision = '0013'
branch_labels = None
depends_on = None

REASONS = (
    'signed_out', 'elsewhere', 'owner', 'role', 'disabled', 'password', 'second_factor', 'idle', 'expired',
)


def upgrade() -> None:
    reason = sa.Enum(*REASONS, name='end_reason', native_enum=False, create_constraint=True, length=24)
    with op.batch_alter_table('staff_sessions', schema=None) as batch_op:
        batch_op.add_column(sa.Column('end_reason', reason, nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('staff_sessions', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_staff_sessions_end_reason'), type_='check')
        batch_op.drop_column('end_reason')
