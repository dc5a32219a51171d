"""Server processes report themselves, for the status screen.

Revision: 0033, after 0032
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0033'
down_revision = '0032'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('server_processes',
    sa.Column('id', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('host', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('process_id', sa.Integer(), nullable=False),
    sa.Column('version', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
    sa.Column('started_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('seen_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('jobs', sa.JSON(), nullable=False),
    sa.Column('mpesa_answer', sa.Float(), nullable=False),
    sa.Column('mpesa_failure', sa.Float(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_server_processes'))
    )
    with op.batch_alter_table('server_processes', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_server_processes_seen_at'), ['seen_at'], unique=False)



def downgrade() -> None:
    with op.batch_alter_table('server_processes', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_server_processes_seen_at'))

    op.drop_table('server_processes')
