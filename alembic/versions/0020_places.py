"""Places of course runs: kept for orders, taken by enrolments; an order says which run was chosen.

Revision: 0020, after 0019
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0020'
down_revision = '0019'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('place_reservations',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('order_id', sa.Integer(), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=False),
    sa.Column('places', sa.Integer(), nullable=False),
    sa.Column('kept_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.CheckConstraint('places >= 1', name=op.f('ck_place_reservations_places_positive')),
    sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_place_reservations_order_id_orders')),
    sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_place_reservations_run_id_course_runs')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_place_reservations')),
    sa.UniqueConstraint('order_id', name=op.f('uq_place_reservations_order_id'))
    )
    with op.batch_alter_table('place_reservations', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_place_reservations_kept_until'), ['kept_until'], unique=False)
        batch_op.create_index(batch_op.f('ix_place_reservations_run_id'), ['run_id'], unique=False)

    # What was bought before has no run: its learners are placed later.
    with op.batch_alter_table('enrolments', schema=None) as batch_op:
        batch_op.add_column(sa.Column('run_id', sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f('ix_enrolments_run_id'), ['run_id'], unique=False)
        batch_op.create_foreign_key(batch_op.f('fk_enrolments_run_id_course_runs'), 'course_runs', ['run_id'], ['id'])

    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.add_column(sa.Column('run_reference', sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False, server_default=''))
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.alter_column('run_reference', existing_type=sa.String(length=12), existing_nullable=False, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.drop_column('run_reference')

    with op.batch_alter_table('enrolments', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_enrolments_run_id_course_runs'), type_='foreignkey')
        batch_op.drop_index(batch_op.f('ix_enrolments_run_id'))
        batch_op.drop_column('run_id')

    with op.batch_alter_table('place_reservations', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_place_reservations_run_id'))
        batch_op.drop_index(batch_op.f('ix_place_reservations_kept_until'))

    op.drop_table('place_reservations')
