"""Mails to an address are found by an index.

Revision: 0040, after 0039
"""

from alembic import op
from sqlalchemy import text


revision = '0040'
down_revision = '0039'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('ix_outbox_messages_lower_to', 'outbox_messages', [text('lower("to")')])


def downgrade() -> None:
    op.drop_index('ix_outbox_messages_lower_to', 'outbox_messages')
