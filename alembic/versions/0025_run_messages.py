"""Messages to all learners of a course run, and who attended which session; learners are listed by their time.

Revision: 0025, after 0024
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0025'
down_revision = '0024'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('course_run_messages',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('subject', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('text', sqlmodel.sql.sqltypes.AutoString(length=4000), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_run_messages_run_id_course_runs')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_course_run_messages'))
    )
    with op.batch_alter_table('course_run_messages', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_course_run_messages_run_id'), ['run_id'], unique=False)

    op.create_table('attendances',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('session_id', sa.Integer(), nullable=False),
    sa.Column('learner_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.ForeignKeyConstraint(['learner_id'], ['learners.id'], name=op.f('fk_attendances_learner_id_learners')),
    sa.ForeignKeyConstraint(['session_id'], ['course_sessions.id'], name=op.f('fk_attendances_session_id_course_sessions')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_attendances')),
    sa.UniqueConstraint('session_id', 'learner_id', name=op.f('uq_attendances_session_id_learner_id'))
    )
    with op.batch_alter_table('attendances', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_attendances_learner_id'), ['learner_id'], unique=False)

    with op.batch_alter_table('learners', schema=None) as batch_op:
        batch_op.create_index('ix_learners_created_at_id', ['created_at', 'id'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('learners', schema=None) as batch_op:
        batch_op.drop_index('ix_learners_created_at_id')

    with op.batch_alter_table('attendances', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_attendances_learner_id'))

    op.drop_table('attendances')
    with op.batch_alter_table('course_run_messages', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_course_run_messages_run_id'))

    op.drop_table('course_run_messages')
