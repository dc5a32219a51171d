"""Contradictions in what M-Pesa says about a payment, until staff explain them.

Revision: 0005, after 0004
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('payment_problems',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('payment_id', sa.Integer(), nullable=False),
    sa.Column('callback_id', sa.Integer(), nullable=True),
    sa.Column('problem', AutoString(length=400), nullable=False),
    sa.Column('amount', sa.Integer(), nullable=False),
    sa.Column('found_at', UTCDateTime(), nullable=False),
    sa.Column('closing_note', AutoString(length=400), nullable=False),
    sa.Column('closed_by', AutoString(length=254), nullable=False),
    sa.Column('closed_at', UTCDateTime(), nullable=True),
    sa.ForeignKeyConstraint(['callback_id'], ['callback_inbox.id'], name=op.f('fk_payment_problems_callback_id_callback_inbox')),
    sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_payment_problems_payment_id_payments')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_payment_problems')),
    sa.UniqueConstraint('callback_id', name=op.f('uq_payment_problems_callback_id')),
    sa.UniqueConstraint('payment_id', 'problem', name=op.f('uq_payment_problems_payment_id_problem'))
    )
    op.create_index(op.f('ix_payment_problems_found_at'), 'payment_problems', ['found_at'], unique=False)


def downgrade() -> None:
    op.drop_index(op.f('ix_payment_problems_found_at'), table_name='payment_problems')
    op.drop_table('payment_problems')
