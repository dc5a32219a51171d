"""Payments that came without a prompt: cash, bank, Paybill or Till by hand.

Revision: 0023, after 0022
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0023'
down_revision = '0022'
branch_labels = None
depends_on = None

OPEN = "state IN ('created', 'pending', 'sending', 'unknown')"
OPEN_PROMPT = sa.text(f"kind = 'prompt' AND {OPEN}")
KINDS = sa.Enum('prompt', 'paybill', 'cash', 'bank', name='payment_kind', native_enum=False, create_constraint=True, length=24)


def upgrade() -> None:
    op.drop_index('uq_payments_one_open_per_order', 'payments')
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.add_column(sa.Column('kind', KINDS, server_default='prompt', nullable=False))
        batch_op.add_column(sa.Column('paid_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.alter_column('kind', existing_type=sa.String(length=24), server_default=None)
    op.create_index('uq_payments_one_open_per_order', 'payments', ['order_id'], unique=True, sqlite_where=OPEN_PROMPT, postgresql_where=OPEN_PROMPT)


def downgrade() -> None:
    """How the money came is lost; amounts, receipts and states stay."""
    op.drop_index('uq_payments_one_open_per_order', 'payments')
    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_payments_payment_kind'), type_='check')
        batch_op.drop_column('paid_at')
        batch_op.drop_column('kind')
    op.create_index('uq_payments_one_open_per_order', 'payments', ['order_id'], unique=True, sqlite_where=sa.text(OPEN), postgresql_where=sa.text(OPEN))
