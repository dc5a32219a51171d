"""Certificates of learners.

Revision: 0027, after 0026
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0027'
down_revision = '0026'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('certificates',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('learner_id', sa.Integer(), nullable=False),
    sa.Column('serial', sqlmodel.sql.sqltypes.AutoString(length=20), nullable=False),
    sa.Column('fullname', sqlmodel.sql.sqltypes.AutoString(length=161), nullable=False),
    sa.Column('course_name', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('minutes', sa.Integer(), nullable=False),
    sa.Column('is_name_shown', sa.Boolean(), nullable=False),
    sa.Column('issued_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('issued_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('revoked_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('revoked_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('revoke_reason', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.CheckConstraint('minutes >= 1', name=op.f('ck_certificates_minutes_positive')),
    sa.CheckConstraint("(revoked_at IS NULL) = (revoked_by = '')", name=op.f('ck_certificates_revoked_by_somebody')),
    sa.ForeignKeyConstraint(['learner_id'], ['learners.id'], name=op.f('fk_certificates_learner_id_learners')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_certificates')),
    sa.UniqueConstraint('serial', name=op.f('uq_certificates_serial'))
    )
    with op.batch_alter_table('certificates', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_certificates_learner_id'), ['learner_id'], unique=False)
        batch_op.create_index('uq_certificates_valid_learner', ['learner_id'], unique=True, sqlite_where=sa.text('revoked_at IS NULL'), postgresql_where=sa.text('revoked_at IS NULL'))


def downgrade() -> None:
    op.drop_table('certificates')
