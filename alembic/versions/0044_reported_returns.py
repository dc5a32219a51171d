"""Payments that M-Pesa reports as returned, without a request of staff.

Revision: 0044, after 0043
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0044'
down_revision = '0043'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('reported_returns',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('receipt', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('payment_id', sa.Integer(), nullable=False),
    sa.Column('amount', sa.Integer(), nullable=False),
    sa.Column('booked_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('found_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('closing_note', sqlmodel.sql.sqltypes.AutoString(length=400), nullable=False),
    sa.Column('closed_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('closed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.CheckConstraint('amount >= 1', name=op.f('ck_reported_returns_amount_positive')),
    sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_reported_returns_payment_id_payments')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_reported_returns')),
    sa.UniqueConstraint('receipt', name=op.f('uq_reported_returns_receipt'))
    )
    op.create_index(op.f('ix_reported_returns_payment_id'), 'reported_returns', ['payment_id'], unique=False)
    op.create_index(op.f('ix_reported_returns_booked_at'), 'reported_returns', ['booked_at'], unique=False)


def downgrade() -> None:
    op.drop_table('reported_returns')
