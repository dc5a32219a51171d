"""The navigation counts messages that failed recently by an index.

Revision: 0037, after 0036
"""

import sqlalchemy as sa
from alembic import op


revision = '0037'
down_revision = '0036'
branch_labels = None
depends_on = None


def upgrade() -> None:
    failed = sa.text("state = 'failed'")
    op.create_index(
        'ix_outbox_messages_failed', 'outbox_messages', ['state', 'created_at', 'id'],
        sqlite_where=failed, postgresql_where=failed,
    )


def downgrade() -> None:
    op.drop_index('ix_outbox_messages_failed', 'outbox_messages')
