"""The records of a person are found by indexes of address and phone number.

Revision: 0038, after 0037
"""

from alembic import op
from sqlalchemy import text


revision = '0038'
down_revision = '0037'
branch_labels = None
depends_on = None

ADDRESSES = (
    'bookings', 'orders', 'learners', 'waiting_list_entries', 'enquiries', 'comments', 'webinar_registrations', 'subscribers',
)
NUMBERS = ('bookings', 'orders', 'enquiries', 'webinar_registrations')
REPLACED = ('bookings', 'orders', 'learners', 'waiting_list_entries')


def upgrade() -> None:
    for table in ADDRESSES:
        op.create_index(f'ix_{table}_lower_email', table, [text('lower(email)')])
    for table in NUMBERS:
        op.create_index(f'ix_{table}_phone', table, ['phone'])
    for table in REPLACED:
        op.drop_index(f'ix_{table}_email', table)


def downgrade() -> None:
    for table in REPLACED:
        op.create_index(f'ix_{table}_email', table, ['email'])
    for table in NUMBERS:
        op.drop_index(f'ix_{table}_phone', table)
    for table in ADDRESSES:
        op.drop_index(f'ix_{table}_lower_email', table)
