"""Trainers: a role, and the staff account that a course run names.

Revision: 0028, after 0027
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0028'
down_revision = '0027'
branch_labels = None
depends_on = None

ROLES_BEFORE = ('owner', 'front_desk', 'finance', 'editor', 'viewer')


def _allow_roles(*roles: str) -> None:
    allowed = ', '.join(f"'{role}'" for role in roles)
    with op.batch_alter_table('staff_accounts', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_staff_accounts_role'), type_='check')
        batch_op.create_check_constraint(batch_op.f('ck_staff_accounts_role'), sa.text(f'role IN ({allowed})'))


def upgrade() -> None:
    _allow_roles(*ROLES_BEFORE, 'trainer')
    with op.batch_alter_table('course_runs', schema=None) as batch_op:
        batch_op.add_column(sa.Column('trainer_email', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=True))
        batch_op.create_index(batch_op.f('ix_course_runs_trainer_email'), ['trainer_email'], unique=False)
        batch_op.create_foreign_key(
            batch_op.f('fk_course_runs_trainer_email_staff_accounts'), 'staff_accounts', ['trainer_email'], ['email']
        )


def downgrade() -> None:
    with op.batch_alter_table('course_runs', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_course_runs_trainer_email_staff_accounts'), type_='foreignkey')
        batch_op.drop_index(batch_op.f('ix_course_runs_trainer_email'))
        batch_op.drop_column('trainer_email')

    # A viewer sees more than a trainer: nobody comes in as one who was none.
    op.execute(
        "UPDATE staff_accounts SET role = 'viewer', disabled_at = coalesce(disabled_at, updated_at) WHERE role = 'trainer'"
    )
    _allow_roles(*ROLES_BEFORE)
