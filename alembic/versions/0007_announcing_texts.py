"""Text messages that announce: they wait for the end of quiet hours, and need no consent.

Revision: 0007, after 0006
"""

from alembic import op

from agency_site.db.altered_tables import alter_table

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_BEFORE = "purpose IN ('transaction', 'reminder', 'staff')"
_AFTER = "purpose IN ('transaction', 'announcement', 'reminder', 'staff')"


def upgrade() -> None:
    _check(_AFTER)


def downgrade() -> None:
    op.execute("UPDATE sms_messages SET purpose = 'transaction' WHERE purpose = 'announcement'")
    _check(_BEFORE)


def _check(condition: str) -> None:
    name = op.f("ck_sms_messages_purpose")
    with alter_table("sms_messages") as batch_op:
        batch_op.drop_constraint(name, type_="check")
        batch_op.create_check_constraint(name, condition)
