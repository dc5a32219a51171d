"""Dated runs of courses, their sessions and history.

Revision: 0019, after 0018
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0019'
down_revision = '0018'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('course_runs',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
    sa.Column('course_slug', sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
    sa.Column('course_name', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('status', sa.Enum('planned', 'open', 'cancelled', name='run_status', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('starts_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('ends_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('trainer', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('room', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.Column('capacity', sa.Integer(), nullable=True),
    sa.Column('taken', sa.Integer(), nullable=False),
    sa.Column('price', sa.Integer(), nullable=True),
    sa.Column('enrol_from', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('enrol_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint('capacity IS NULL OR capacity >= 1', name=op.f('ck_course_runs_capacity_positive')),
    sa.CheckConstraint('capacity IS NULL OR taken <= capacity', name=op.f('ck_course_runs_taken_within_capacity')),
    sa.CheckConstraint('price IS NULL OR price >= 1', name=op.f('ck_course_runs_price_positive')),
    sa.CheckConstraint('starts_at <= ends_at', name=op.f('ck_course_runs_ends_after_start')),
    sa.CheckConstraint('taken >= 0', name=op.f('ck_course_runs_taken_not_negative')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_course_runs')),
    sa.UniqueConstraint('reference', name=op.f('uq_course_runs_reference'))
    )
    with op.batch_alter_table('course_runs', schema=None) as batch_op:
        batch_op.create_index('ix_course_runs_course_slug_starts_at', ['course_slug', 'starts_at'], unique=False)
        batch_op.create_index('ix_course_runs_starts_at_id', ['starts_at', 'id'], unique=False)

    op.create_table('course_run_events',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=False),
    sa.Column('what', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('before', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
    sa.Column('after', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
    sa.Column('note', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_run_events_run_id_course_runs')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_course_run_events'))
    )
    with op.batch_alter_table('course_run_events', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_course_run_events_run_id'), ['run_id'], unique=False)

    op.create_table('course_sessions',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=False),
    sa.Column('starts_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('minutes', sa.Integer(), nullable=False),
    sa.Column('topic', sqlmodel.sql.sqltypes.AutoString(length=200), nullable=False),
    sa.CheckConstraint('minutes >= 1', name=op.f('ck_course_sessions_minutes_positive')),
    sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_sessions_run_id_course_runs')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_course_sessions')),
    sa.UniqueConstraint('run_id', 'starts_at', name=op.f('uq_course_sessions_run_id_starts_at'))
    )
    with op.batch_alter_table('course_sessions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_course_sessions_run_id'), ['run_id'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('course_sessions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_course_sessions_run_id'))

    op.drop_table('course_sessions')
    with op.batch_alter_table('course_run_events', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_course_run_events_run_id'))

    op.drop_table('course_run_events')
    with op.batch_alter_table('course_runs', schema=None) as batch_op:
        batch_op.drop_index('ix_course_runs_starts_at_id')
        batch_op.drop_index('ix_course_runs_course_slug_starts_at')

    op.drop_table('course_runs')
