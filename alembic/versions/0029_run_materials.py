"""Materials and recordings of course runs.

Revision: 0029, after 0028
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0029'
down_revision = '0028'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('course_run_materials',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('run_id', sa.Integer(), nullable=False),
    sa.Column('kind', sa.Enum('material', 'recording', name='material_kind', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('title', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('address', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.Column('added_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('added_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_run_materials_run_id_course_runs')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_course_run_materials')),
    sa.UniqueConstraint('run_id', 'address', name=op.f('uq_course_run_materials_run_id_address'))
    )


def downgrade() -> None:
    op.drop_table('course_run_materials')
