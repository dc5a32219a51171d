"""The company that pays for an order, and its KRA PIN.

Revision: 0030, after 0029
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0030'
down_revision = '0029'
branch_labels = None
depends_on = None

LENGTHS = {'company_name': 120, 'company_pin': 11}


def upgrade() -> None:
    with op.batch_alter_table('orders', schema=None) as batch_op:
        for name, length in LENGTHS.items():
            batch_op.add_column(
                sa.Column(name, sqlmodel.sql.sqltypes.AutoString(length=length), nullable=False, server_default='')
            )
        batch_op.create_check_constraint(
            batch_op.f('ck_orders_company_with_pin'), sa.text("(company_name = '') = (company_pin = '')")
        )
    with op.batch_alter_table('orders', schema=None) as batch_op:
        for name, length in LENGTHS.items():
            batch_op.alter_column(
                name, existing_type=sa.String(length=length), existing_nullable=False, server_default=None
            )


def downgrade() -> None:
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_orders_company_with_pin'), type_='check')
        for name in LENGTHS:
            batch_op.drop_column(name)
