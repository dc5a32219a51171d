"""Certificates have numbers of 142 random bits.

Revision: 0046, after 0045
"""

import sqlalchemy as sa
from alembic import op

revision = '0046'
down_revision = '0045'
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table('certificates') as certificates:
        certificates.alter_column('serial', existing_type=sa.String(20), type_=sa.String(40), existing_nullable=False)


def downgrade() -> None:
    # The printed part: the release before finds a certificate by a number of this length.
    op.execute('UPDATE certificates SET serial = substr(serial, 1, 16)')
    with op.batch_alter_table('certificates') as certificates:
        certificates.alter_column('serial', existing_type=sa.String(40), type_=sa.String(20), existing_nullable=False)
