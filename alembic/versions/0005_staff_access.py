"""Set-up links before there is an account; an authenticator replaced without a gap.

Revision: 0005, after 0004
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('staff_accounts', schema=None) as batch_op:
        batch_op.add_column(sa.Column('totp_next_seed', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False, server_default=''))
    with op.batch_alter_table('staff_accounts', schema=None) as batch_op:
        batch_op.alter_column('totp_next_seed', server_default=None)
    with op.batch_alter_table('staff_links', schema=None) as batch_op:
        batch_op.alter_column('account_id', existing_type=sa.Integer(), nullable=True)
        batch_op.create_check_constraint(op.f('ck_staff_links_account'), "account_id IS NOT NULL OR purpose = 'setup'")


def downgrade() -> None:
    op.execute("DELETE FROM staff_links WHERE account_id IS NULL")
    with op.batch_alter_table('staff_links', schema=None) as batch_op:
        batch_op.drop_constraint(op.f('ck_staff_links_account'), type_='check')
        batch_op.alter_column('account_id', existing_type=sa.Integer(), nullable=False)
    with op.batch_alter_table('staff_accounts', schema=None) as batch_op:
        batch_op.drop_column('totp_next_seed')
