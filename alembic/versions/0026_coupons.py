"""Coupons, their uses and their history; orders have a coupon and its discount.

Revision: 0026, after 0025
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0026'
down_revision = '0025'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('coupons',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('code', sqlmodel.sql.sqltypes.AutoString(length=20), nullable=False),
    sa.Column('percent', sa.Integer(), nullable=True),
    sa.Column('amount', sa.Integer(), nullable=True),
    sa.Column('course_slug', sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
    sa.Column('run_reference', sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
    sa.Column('valid_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('valid_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('uses', sa.Integer(), nullable=True),
    sa.Column('used', sa.Integer(), nullable=False),
    sa.Column('ended_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint('(percent IS NULL) <> (amount IS NULL)', name=op.f('ck_coupons_percent_or_amount')),
    sa.CheckConstraint('percent >= 1 AND percent <= 99', name=op.f('ck_coupons_percent_in_range')),
    sa.CheckConstraint('amount >= 1', name=op.f('ck_coupons_amount_positive')),
    sa.CheckConstraint('used >= 0 AND (uses IS NULL OR used <= uses)', name=op.f('ck_coupons_used_within_uses')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_coupons')),
    sa.UniqueConstraint('code', name=op.f('uq_coupons_code'))
    )
    with op.batch_alter_table('coupons', schema=None) as batch_op:
        batch_op.create_index('ix_coupons_created_at_id', ['created_at', 'id'], unique=False)
    op.create_table('coupon_uses',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('order_id', sa.Integer(), nullable=False),
    sa.Column('coupon_id', sa.Integer(), nullable=False),
    sa.Column('kept_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.ForeignKeyConstraint(['coupon_id'], ['coupons.id'], name=op.f('fk_coupon_uses_coupon_id_coupons')),
    sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_coupon_uses_order_id_orders')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_coupon_uses')),
    sa.UniqueConstraint('order_id', name=op.f('uq_coupon_uses_order_id'))
    )
    with op.batch_alter_table('coupon_uses', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_coupon_uses_coupon_id'), ['coupon_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_coupon_uses_kept_until'), ['kept_until'], unique=False)
    op.create_table('coupon_events',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('coupon_id', sa.Integer(), nullable=False),
    sa.Column('what', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('note', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.ForeignKeyConstraint(['coupon_id'], ['coupons.id'], name=op.f('fk_coupon_events_coupon_id_coupons')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_coupon_events'))
    )
    with op.batch_alter_table('coupon_events', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_coupon_events_coupon_id'), ['coupon_id'], unique=False)

    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.add_column(sa.Column('coupon_code', sqlmodel.sql.sqltypes.AutoString(length=20), server_default='', nullable=False))
        batch_op.add_column(sa.Column('discount', sa.Integer(), server_default='0', nullable=False))
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.alter_column('coupon_code', existing_type=sa.String(length=20), server_default=None)
        batch_op.alter_column('discount', existing_type=sa.Integer(), server_default=None)
        batch_op.drop_constraint(batch_op.f('ck_orders_amount_is_total'), type_='check')
        batch_op.create_check_constraint(batch_op.f('ck_orders_amount_is_total'), 'amount = unit_price * quantity - discount')
        batch_op.create_check_constraint(batch_op.f('ck_orders_discount_not_negative'), 'discount >= 0')


def downgrade() -> None:
    """An order with a discount has one place at the price that was charged: its amount stays."""
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_orders_discount_not_negative'), type_='check')
        batch_op.drop_constraint(batch_op.f('ck_orders_amount_is_total'), type_='check')
    op.execute('UPDATE orders SET quantity = 1, unit_price = amount WHERE discount > 0')
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.create_check_constraint(batch_op.f('ck_orders_amount_is_total'), 'amount = unit_price * quantity')
        batch_op.drop_column('discount')
        batch_op.drop_column('coupon_code')
    op.drop_table('coupon_events')
    op.drop_table('coupon_uses')
    op.drop_table('coupons')
