"""Each payment has an account reference of its own, by which M-Pesa's books are matched.

Revision: 0017, after 0016
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0017'
down_revision = '0016'
branch_labels = None
depends_on = None

# The first payment of an order has the order's reference, as M-Pesa shows it for all of them; the later ones have their number behind it.
FILL = """
UPDATE payments SET account_reference = (
  SELECT replace(orders.reference, '-', '') FROM orders WHERE orders.id = payments.order_id
) || (
  SELECT CASE count(*) WHEN 0 THEN '' ELSE CAST(count(*) + 1 AS VARCHAR(4)) END
  FROM payments AS earlier WHERE earlier.order_id = payments.order_id AND earlier.id < payments.id
)
"""


def upgrade() -> None:
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.add_column(sa.Column('account_reference', sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True))
    op.execute(FILL)
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.alter_column('account_reference', existing_type=sa.String(length=12), nullable=False)
        batch_op.create_unique_constraint(batch_op.f('uq_payments_account_reference'), ['account_reference'])


def downgrade() -> None:
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('uq_payments_account_reference'), type_='unique')
        batch_op.drop_column('account_reference')
