"""Mails that wait for their text messages, and text messages from phones by which repeats are recognised.

Revision: 0006, after 0005
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('held_mails',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('key', AutoString(length=120), nullable=False),
    sa.Column('to', AutoString(), nullable=False),
    sa.Column('about', AutoString(), nullable=False),
    sa.Column('message', sa.JSON(), nullable=False),
    sa.Column('attachments', sa.JSON(), nullable=False),
    sa.Column('useless_after', UTCDateTime(), nullable=True),
    sa.Column('created_at', UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_held_mails')),
    sa.UniqueConstraint('key', name=op.f('uq_held_mails_key'))
    )
    op.create_index(op.f('ix_held_mails_about'), 'held_mails', ['about'], unique=False)
    op.create_index('ix_held_mails_lower_to', 'held_mails', [sa.literal_column('lower("to")')], unique=False)
    op.create_table('sms_replies',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('key', AutoString(length=64), nullable=False),
    sa.Column('number', AutoString(length=16), nullable=False),
    sa.Column('meaning', sa.Enum('stop', 'start', 'other', name='meaning', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('sent_at', UTCDateTime(), nullable=False),
    sa.Column('created_at', UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_sms_replies')),
    sa.UniqueConstraint('key', name=op.f('uq_sms_replies_key'))
    )
    op.create_index(op.f('ix_sms_replies_created_at'), 'sms_replies', ['created_at'], unique=False)
    op.create_index(op.f('ix_sms_replies_number'), 'sms_replies', ['number'], unique=False)


def downgrade() -> None:
    op.drop_table('sms_replies')
    op.drop_table('held_mails')
