"""A discrepancy of the reconciliation report can be closed with a note.

Revision: 0011, after 0010
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0011'
down_revision = '0010'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('discrepancy_closures',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('order_id', sa.Integer(), nullable=True),
    sa.Column('callback_id', sa.Integer(), nullable=True),
    sa.Column('amount', sa.Integer(), nullable=False),
    sa.Column('note', sqlmodel.sql.sqltypes.AutoString(length=400), nullable=False),
    sa.Column('closed_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('closed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint('order_id IS NOT NULL OR callback_id IS NOT NULL', name=op.f('ck_discrepancy_closures_names_a_record')),
    sa.ForeignKeyConstraint(['callback_id'], ['callback_inbox.id'], name=op.f('fk_discrepancy_closures_callback_id_callback_inbox')),
    sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_discrepancy_closures_order_id_orders')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_discrepancy_closures')),
    sa.UniqueConstraint('callback_id', 'amount', name=op.f('uq_discrepancy_closures_callback_id_amount'))
    )
    with op.batch_alter_table('discrepancy_closures', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_discrepancy_closures_order_id'), ['order_id'], unique=False)
        batch_op.create_index('uq_discrepancy_closures_order_sums', ['order_id', 'amount'], unique=True, sqlite_where=sa.text('callback_id IS NULL'), postgresql_where=sa.text('callback_id IS NULL'))


def downgrade() -> None:
    with op.batch_alter_table('discrepancy_closures', schema=None) as batch_op:
        batch_op.drop_index('uq_discrepancy_closures_order_sums', sqlite_where=sa.text('callback_id IS NULL'), postgresql_where=sa.text('callback_id IS NULL'))
        batch_op.drop_index(batch_op.f('ix_discrepancy_closures_order_id'))

    op.drop_table('discrepancy_closures')
