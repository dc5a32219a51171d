"""A coupon may take off all; the return of an unassigned transaction is recorded.

Revision: 0048, after 0047
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0048'
down_revision = '0047'
branch_labels = None
depends_on = None


def _limit_percent(most: int) -> None:
    with op.batch_alter_table('coupons', schema=None) as batch_op:
        batch_op.drop_constraint(op.f('ck_coupons_percent_in_range'), type_='check')
        batch_op.create_check_constraint(op.f('ck_coupons_percent_in_range'), f'percent >= 1 AND percent <= {most}')


def upgrade() -> None:
    _limit_percent(100)
    op.add_column('unassigned_transactions', sa.Column('returned_as', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True))
    op.create_index('ix_unassigned_transactions_returned_as', 'unassigned_transactions', ['returned_as'], unique=True)


def downgrade() -> None:
    op.drop_index('ix_unassigned_transactions_returned_as', 'unassigned_transactions')
    op.drop_column('unassigned_transactions', 'returned_as')
    op.execute("UPDATE coupons SET percent = 99 WHERE percent = 100")
    _limit_percent(99)
