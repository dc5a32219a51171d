"""Waiting lists of course runs; places can be kept for somebody who has not ordered yet.

Revision: 0032, after 0031
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0032'
down_revision = '0031'
branch_labels = None
depends_on = None

_OPEN_ENTRY = sa.text("state IN ('waiting', 'offered') AND order_id IS NULL AND email <> ''")
_WAITING_ORDER = sa.text("state = 'waiting' AND order_id IS NOT NULL")


def upgrade() -> None:
    op.create_table('waiting_list_entries',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=False),
    sa.Column('order_id', sa.Integer(), nullable=True),
    sa.Column('state', sa.Enum('waiting', 'offered', 'taken', 'lapsed', 'closed', name='waiting_state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('places', sa.Integer(), nullable=False),
    sa.Column('fullname', sqlmodel.sql.sqltypes.AutoString(length=161), nullable=False),
    sa.Column('email', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('reserved_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('token_seed', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint('places >= 1', name=op.f('ck_waiting_list_entries_places_positive')),
    sa.CheckConstraint("state <> 'offered' OR reserved_until IS NOT NULL", name=op.f('ck_waiting_list_entries_offered_for_a_time')),
    sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_waiting_list_entries_order_id_orders')),
    sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_waiting_list_entries_run_id_course_runs')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_waiting_list_entries')),
    sa.UniqueConstraint('reference', name=op.f('uq_waiting_list_entries_reference')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_waiting_list_entries_token_hash'))
    )
    with op.batch_alter_table('waiting_list_entries', schema=None) as batch_op:
        batch_op.create_index('uq_waiting_list_entries_open_email', ['run_id', 'email'], unique=True, sqlite_where=_OPEN_ENTRY, postgresql_where=_OPEN_ENTRY)
        batch_op.create_index('uq_waiting_list_entries_waiting_order', ['order_id'], unique=True, sqlite_where=_WAITING_ORDER, postgresql_where=_WAITING_ORDER)
        batch_op.create_index('ix_waiting_list_entries_run_id_state', ['run_id', 'state'], unique=False)
        batch_op.create_index('ix_waiting_list_entries_email', ['email'], unique=False)
        batch_op.create_index('ix_waiting_list_entries_created_at_id', ['created_at', 'id'], unique=False)

    with op.batch_alter_table('place_reservations', schema=None) as batch_op:
        batch_op.alter_column('order_id', existing_type=sa.Integer(), nullable=True)
        batch_op.add_column(sa.Column('entry_id', sa.Integer(), nullable=True))
        batch_op.create_foreign_key(batch_op.f('fk_place_reservations_entry_id_waiting_list_entries'), 'waiting_list_entries', ['entry_id'], ['id'])
        batch_op.create_unique_constraint(batch_op.f('uq_place_reservations_entry_id'), ['entry_id'])
        batch_op.create_check_constraint(batch_op.f('ck_place_reservations_kept_for_somebody'), 'order_id IS NOT NULL OR entry_id IS NOT NULL')


def downgrade() -> None:
    # Places that are kept for nobody's order are unknown before this revision.
    op.execute('UPDATE course_runs SET taken = taken - (SELECT coalesce(sum(places), 0) FROM place_reservations'
               ' WHERE run_id = course_runs.id AND order_id IS NULL)')
    op.execute('DELETE FROM place_reservations WHERE order_id IS NULL')
    with op.batch_alter_table('place_reservations', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_place_reservations_kept_for_somebody'), type_='check')
        batch_op.drop_constraint(batch_op.f('uq_place_reservations_entry_id'), type_='unique')
        batch_op.drop_constraint(batch_op.f('fk_place_reservations_entry_id_waiting_list_entries'), type_='foreignkey')
        batch_op.drop_column('entry_id')
        batch_op.alter_column('order_id', existing_type=sa.Integer(), nullable=False)

    op.drop_table('waiting_list_entries')
