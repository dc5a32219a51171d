"""Reversals: payments that M-Pesa is asked to return.

Revision: 0031, after 0030
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0031'
down_revision = '0030'
branch_labels = None
depends_on = None

OPEN = sa.text("state IN ('created', 'pending', 'unknown')")
STATES = sa.Enum('created', 'pending', 'unknown', 'done', 'failed', name='reversal_state', native_enum=False, create_constraint=True, length=24)


def upgrade() -> None:
    op.create_table('reversals',
    sa.Column('due_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('leased_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('payment_id', sa.Integer(), nullable=False),
    sa.Column('attempt_key', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('state', STATES, nullable=False),
    sa.Column('amount', sa.Integer(), nullable=False),
    sa.Column('reason', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.Column('originator_id', sqlmodel.sql.sqltypes.AutoString(length=128), nullable=False),
    sa.Column('conversation_id', sqlmodel.sql.sqltypes.AutoString(length=128), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
    sa.Column('result_code', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('result_text', sqlmodel.sql.sqltypes.AutoString(length=255), nullable=False),
    sa.Column('requested_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('requested_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('settled_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.CheckConstraint('amount >= 1', name=op.f('ck_reversals_amount_positive')),
    sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_reversals_payment_id_payments')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_reversals')),
    sa.UniqueConstraint('attempt_key', name=op.f('uq_reversals_attempt_key'))
    )
    with op.batch_alter_table('reversals', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_reversals_due_at'), ['due_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_reversals_payment_id'), ['payment_id'], unique=False)
        batch_op.create_index('uq_reversals_one_open_per_payment', ['payment_id'], unique=True, sqlite_where=OPEN, postgresql_where=OPEN)


def downgrade() -> None:
    op.drop_table('reversals')
