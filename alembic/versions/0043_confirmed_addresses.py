"""Addresses whose owner has confirmed them: only these are greeted by name.

Those of paid orders and of subscribers count from the beginning.

Revision: 0043, after 0042
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op


revision = '0043'
down_revision = '0042'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('confirmed_addresses',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('address', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('confirmed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_confirmed_addresses')),
    sa.UniqueConstraint('address', name=op.f('uq_confirmed_addresses_address'))
    )
    op.create_index(op.f('ix_confirmed_addresses_confirmed_at'), 'confirmed_addresses', ['confirmed_at'], unique=False)
    op.execute(
        "INSERT INTO confirmed_addresses (address, confirmed_at) SELECT address, max(at) FROM ("
        "SELECT lower(email) AS address, updated_at AS at FROM orders WHERE state IN ('paid', 'refunded') AND email <> '' "
        "UNION ALL SELECT lower(email), confirmed_at FROM subscribers "
        "WHERE state = 'subscribed' AND confirmed_at IS NOT NULL AND email <> '') AS known GROUP BY address"
    )


def downgrade() -> None:
    op.drop_table('confirmed_addresses')
