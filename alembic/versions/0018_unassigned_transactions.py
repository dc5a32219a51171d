"""Transactions in M-Pesa's books that no payment shows, and the statements that staff have imported.

Revision: 0018, after 0017
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0018'
down_revision = '0017'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('statement_imports',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('imported_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('imported_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('begins', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('ends', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('result', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_statement_imports'))
    )
    with op.batch_alter_table('statement_imports', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_statement_imports_imported_at'), ['imported_at'], unique=False)

    op.create_table('unassigned_transactions',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('receipt', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('amount', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('phone', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('account', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('booked_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('found_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('closing_note', sqlmodel.sql.sqltypes.AutoString(length=400), nullable=False),
    sa.Column('closed_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('closed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_unassigned_transactions')),
    sa.UniqueConstraint('receipt', name=op.f('uq_unassigned_transactions_receipt'))
    )
    with op.batch_alter_table('unassigned_transactions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_unassigned_transactions_booked_at'), ['booked_at'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('unassigned_transactions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_unassigned_transactions_booked_at'))

    op.drop_table('unassigned_transactions')
    with op.batch_alter_table('statement_imports', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_statement_imports_imported_at'))

    op.drop_table('statement_imports')
