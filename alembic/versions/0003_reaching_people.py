"""Text messages, consultants and their calendars, views of pages and the origin of records.

Revision: 0003, after 0002
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

from agency_site.db.altered_tables import alter_table

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('consultants',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('reference', AutoString(length=16), nullable=False),
    sa.Column('name', AutoString(length=120), nullable=False),
    sa.Column('email', AutoString(length=254), nullable=False),
    sa.Column('seat', sa.Integer(), nullable=False),
    sa.Column('is_active', sa.Boolean(), nullable=False),
    sa.Column('hours', sa.JSON(), nullable=False),
    sa.Column('ways', AutoString(length=40), nullable=False),
    sa.Column('video_link', AutoString(length=500), nullable=False),
    sa.Column('author', AutoString(length=254), nullable=False),
    sa.Column('updated_at', UTCDateTime(), nullable=False),
    sa.CheckConstraint('seat BETWEEN 0 AND 49', name=op.f('ck_consultants_seat_in_range')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_consultants')),
    sa.UniqueConstraint('reference', name=op.f('uq_consultants_reference')),
    sa.UniqueConstraint('seat', name=op.f('uq_consultants_seat'))
    )
    op.create_table('notice_channels',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('kind', sa.Enum('booking-confirmed', 'booking-moved', 'booking-cancelled', 'booking-reminder', 'booking-soon', 'payment-received', 'payment-failed', 'payment-link', 'place-named', 'session-changed', 'session-soon', 'waiting-offer', name='kind', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('channel', sa.Enum('mail', 'sms', 'both', name='channel', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('author', AutoString(length=254), nullable=False),
    sa.Column('updated_at', UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('kind', name=op.f('pk_notice_channels'))
    )
    op.create_table('page_views',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('date', sa.Date(), nullable=False),
    sa.Column('page', AutoString(length=200), nullable=False),
    sa.Column('source', AutoString(length=80), nullable=False),
    sa.Column('medium', AutoString(length=80), nullable=False),
    sa.Column('campaign', AutoString(length=80), nullable=False),
    sa.Column('views', sa.Integer(), nullable=False),
    sa.Column('visits', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_page_views')),
    sa.UniqueConstraint('date', 'page', 'source', 'medium', 'campaign', name=op.f('uq_page_views_date_page_source_medium_campaign'))
    )
    op.create_table('short_links',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('code_hash', AutoString(length=64), nullable=False),
    sa.Column('target', sa.JSON(), nullable=False),
    sa.Column('created_at', UTCDateTime(), nullable=False),
    sa.Column('expires_at', UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_short_links')),
    sa.UniqueConstraint('code_hash', name=op.f('uq_short_links_code_hash'))
    )
    op.create_index(op.f('ix_short_links_expires_at'), 'short_links', ['expires_at'], unique=False)
    op.create_table('sms_early_reports',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('provider_id', AutoString(length=80), nullable=False),
    sa.Column('number', AutoString(length=16), nullable=False),
    sa.Column('state', sa.Enum('queued', 'sending', 'sent', 'delivered', 'unknown', 'kept', 'failed', 'stopped', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('reason', AutoString(length=80), nullable=False),
    sa.Column('created_at', UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_sms_early_reports')),
    sa.UniqueConstraint('provider_id', name=op.f('uq_sms_early_reports_provider_id'))
    )
    op.create_index(op.f('ix_sms_early_reports_created_at'), 'sms_early_reports', ['created_at'], unique=False)
    op.create_index(op.f('ix_sms_early_reports_number'), 'sms_early_reports', ['number'], unique=False)
    op.create_table('sms_messages',
    sa.Column('due_at', UTCDateTime(), nullable=True),
    sa.Column('leased_until', UTCDateTime(), nullable=True),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('kind', AutoString(length=40), nullable=False),
    sa.Column('to', AutoString(length=16), nullable=False),
    sa.Column('text', sa.JSON(), nullable=False),
    sa.Column('parts', sa.Integer(), nullable=False),
    sa.Column('purpose', sa.Enum('transaction', 'reminder', 'staff', name='purpose', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('key', AutoString(length=120), nullable=True),
    sa.Column('about', AutoString(length=16), nullable=False),
    sa.Column('requested_by', AutoString(length=254), nullable=False),
    sa.Column('expires_at', UTCDateTime(), nullable=True),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('state', sa.Enum('queued', 'sending', 'sent', 'delivered', 'unknown', 'kept', 'failed', 'stopped', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('last_error', AutoString(length=300), nullable=False),
    sa.Column('provider_id', AutoString(length=80), nullable=True),
    sa.Column('cost', sa.Integer(), nullable=False),
    sa.Column('currency', AutoString(length=3), nullable=False),
    sa.Column('created_at', UTCDateTime(), nullable=False),
    sa.Column('sent_at', UTCDateTime(), nullable=True),
    sa.Column('reported_at', UTCDateTime(), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_sms_messages')),
    sa.UniqueConstraint('key', name=op.f('uq_sms_messages_key')),
    sa.UniqueConstraint('provider_id', name=op.f('uq_sms_messages_provider_id'))
    )
    op.create_index(op.f('ix_sms_messages_about'), 'sms_messages', ['about'], unique=False)
    op.create_index(op.f('ix_sms_messages_due_at'), 'sms_messages', ['due_at'], unique=False)
    op.create_index('ix_sms_messages_failed', 'sms_messages', ['state', 'created_at', 'id'], unique=False, sqlite_where=sa.text("state = 'failed'"), postgresql_where=sa.text("state = 'failed'"))
    op.create_index('ix_sms_messages_kind_id', 'sms_messages', ['kind', 'id'], unique=False)
    op.create_index('ix_sms_messages_searched', 'sms_messages', ['created_at', 'id', 'search'], unique=False)
    op.create_index('ix_sms_messages_state_id', 'sms_messages', ['state', 'id'], unique=False)
    op.create_index(op.f('ix_sms_messages_to'), 'sms_messages', ['to'], unique=False)
    op.create_table('sms_numbers',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('number', AutoString(length=16), nullable=False),
    sa.Column('consented_at', UTCDateTime(), nullable=True),
    sa.Column('stopped_at', UTCDateTime(), nullable=True),
    sa.Column('failed_at', UTCDateTime(), nullable=True),
    sa.Column('failure', AutoString(length=80), nullable=False),
    sa.Column('updated_at', UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_sms_numbers')),
    sa.UniqueConstraint('number', name=op.f('uq_sms_numbers_number'))
    )
    op.create_index(op.f('ix_sms_numbers_updated_at'), 'sms_numbers', ['updated_at'], unique=False)
    op.create_table('busy_calendars',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('due_at', UTCDateTime(), nullable=True),
    sa.Column('leased_until', UTCDateTime(), nullable=True),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('name', AutoString(length=120), nullable=False),
    sa.Column('address', sa.JSON(), nullable=False),
    sa.Column('consultant_id', sa.Integer(), nullable=True),
    sa.Column('etag', AutoString(length=300), nullable=False),
    sa.Column('last_modified', AutoString(length=80), nullable=False),
    sa.Column('read_at', UTCDateTime(), nullable=True),
    sa.Column('failing_since', UTCDateTime(), nullable=True),
    sa.Column('last_error', AutoString(length=300), nullable=False),
    sa.Column('author', AutoString(length=254), nullable=False),
    sa.Column('created_at', UTCDateTime(), nullable=False),
    sa.ForeignKeyConstraint(['consultant_id'], ['consultants.id'], name=op.f('fk_busy_calendars_consultant_id_consultants')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_busy_calendars'))
    )
    op.create_index(op.f('ix_busy_calendars_consultant_id'), 'busy_calendars', ['consultant_id'], unique=False)
    op.create_index(op.f('ix_busy_calendars_due_at'), 'busy_calendars', ['due_at'], unique=False)
    op.create_table('busy_times',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('calendar_id', sa.Integer(), nullable=False),
    sa.Column('starts_at', UTCDateTime(), nullable=False),
    sa.Column('ends_at', UTCDateTime(), nullable=False),
    sa.CheckConstraint('ends_at > starts_at', name=op.f('ck_busy_times_ends_after_start')),
    sa.ForeignKeyConstraint(['calendar_id'], ['busy_calendars.id'], name=op.f('fk_busy_times_calendar_id_busy_calendars'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_busy_times'))
    )
    op.create_index(op.f('ix_busy_times_calendar_id'), 'busy_times', ['calendar_id'], unique=False)
    op.create_index('ix_busy_times_starts_at_ends_at', 'busy_times', ['starts_at', 'ends_at'], unique=False)
    op.add_column('booking_policy_overrides', sa.Column('notice_hours', sa.Integer(), nullable=True))
    op.add_column('booking_policy_overrides', sa.Column('buffer_minutes', sa.Integer(), nullable=True))
    op.add_column('booking_policy_overrides', sa.Column('daily_limit', sa.Integer(), nullable=True))
    op.add_column('bookings', sa.Column('visit_source', AutoString(length=80), server_default='', nullable=False))
    op.add_column('bookings', sa.Column('visit_medium', AutoString(length=80), server_default='', nullable=False))
    op.add_column('bookings', sa.Column('visit_campaign', AutoString(length=80), server_default='', nullable=False))
    op.add_column('bookings', sa.Column('visit_page', AutoString(length=200), server_default='', nullable=False))
    op.add_column('bookings', sa.Column('service', AutoString(length=80), server_default='', nullable=False))
    op.execute("ALTER TABLE bookings ADD COLUMN way VARCHAR(24) DEFAULT 'karen' NOT NULL CONSTRAINT ck_bookings_way CHECK (way IN ('phone', 'karen', 'video'))")
    op.add_column('bookings', sa.Column('consultant_id', sa.Integer(), nullable=True))
    op.create_index(op.f('ix_bookings_consultant_id'), 'bookings', ['consultant_id'], unique=False)
    op.add_column('enquiries', sa.Column('visit_source', AutoString(length=80), server_default='', nullable=False))
    op.add_column('enquiries', sa.Column('visit_medium', AutoString(length=80), server_default='', nullable=False))
    op.add_column('enquiries', sa.Column('visit_campaign', AutoString(length=80), server_default='', nullable=False))
    op.add_column('enquiries', sa.Column('visit_page', AutoString(length=200), server_default='', nullable=False))
    op.add_column('learners', sa.Column('phone', AutoString(length=16), server_default='', nullable=False))
    op.create_index(op.f('ix_learners_phone'), 'learners', ['phone'], unique=False)
    op.add_column('orders', sa.Column('visit_source', AutoString(length=80), server_default='', nullable=False))
    op.add_column('orders', sa.Column('visit_medium', AutoString(length=80), server_default='', nullable=False))
    op.add_column('orders', sa.Column('visit_campaign', AutoString(length=80), server_default='', nullable=False))
    op.add_column('orders', sa.Column('visit_page', AutoString(length=200), server_default='', nullable=False))
    op.add_column('subscribers', sa.Column('visit_source', AutoString(length=80), server_default='', nullable=False))
    op.add_column('subscribers', sa.Column('visit_medium', AutoString(length=80), server_default='', nullable=False))
    op.add_column('subscribers', sa.Column('visit_campaign', AutoString(length=80), server_default='', nullable=False))
    op.add_column('subscribers', sa.Column('visit_page', AutoString(length=200), server_default='', nullable=False))
    op.add_column('waiting_list_entries', sa.Column('phone', AutoString(length=16), server_default='', nullable=False))
    op.create_index(op.f('ix_waiting_list_entries_phone'), 'waiting_list_entries', ['phone'], unique=False)
    op.add_column('webinar_registrations', sa.Column('visit_source', AutoString(length=80), server_default='', nullable=False))
    op.add_column('webinar_registrations', sa.Column('visit_medium', AutoString(length=80), server_default='', nullable=False))
    op.add_column('webinar_registrations', sa.Column('visit_campaign', AutoString(length=80), server_default='', nullable=False))
    op.add_column('webinar_registrations', sa.Column('visit_page', AutoString(length=200), server_default='', nullable=False))
    with alter_table('booking_policy_overrides') as batch_op:
        batch_op.create_check_constraint(op.f('ck_booking_policy_overrides_buffer_in_range'), 'buffer_minutes BETWEEN 0 AND 240')
        batch_op.create_check_constraint(op.f('ck_booking_policy_overrides_daily_limit_in_range'), 'daily_limit BETWEEN 1 AND 50')
        batch_op.create_check_constraint(op.f('ck_booking_policy_overrides_notice_in_range'), 'notice_hours BETWEEN 0 AND 720')

    with alter_table('bookings') as batch_op:
        batch_op.create_foreign_key(batch_op.f('fk_bookings_consultant_id_consultants'), 'consultants', ['consultant_id'], ['id'])



def downgrade() -> None:
    with alter_table('booking_policy_overrides') as batch_op:
        batch_op.drop_constraint(op.f('ck_booking_policy_overrides_buffer_in_range'), type_='check')
        batch_op.drop_constraint(op.f('ck_booking_policy_overrides_daily_limit_in_range'), type_='check')
        batch_op.drop_constraint(op.f('ck_booking_policy_overrides_notice_in_range'), type_='check')

    with alter_table('bookings') as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_bookings_consultant_id_consultants'), type_='foreignkey')
        batch_op.drop_constraint(op.f('ck_bookings_way'), type_='check')

    op.drop_column('webinar_registrations', 'visit_page')
    op.drop_column('webinar_registrations', 'visit_campaign')
    op.drop_column('webinar_registrations', 'visit_medium')
    op.drop_column('webinar_registrations', 'visit_source')
    op.drop_index(op.f('ix_waiting_list_entries_phone'), table_name='waiting_list_entries')
    op.drop_column('waiting_list_entries', 'phone')
    op.drop_column('subscribers', 'visit_page')
    op.drop_column('subscribers', 'visit_campaign')
    op.drop_column('subscribers', 'visit_medium')
    op.drop_column('subscribers', 'visit_source')
    op.drop_column('orders', 'visit_page')
    op.drop_column('orders', 'visit_campaign')
    op.drop_column('orders', 'visit_medium')
    op.drop_column('orders', 'visit_source')
    op.drop_index(op.f('ix_learners_phone'), table_name='learners')
    op.drop_column('learners', 'phone')
    op.drop_column('enquiries', 'visit_page')
    op.drop_column('enquiries', 'visit_campaign')
    op.drop_column('enquiries', 'visit_medium')
    op.drop_column('enquiries', 'visit_source')
    op.drop_index(op.f('ix_bookings_consultant_id'), table_name='bookings')
    op.drop_column('bookings', 'consultant_id')
    op.drop_column('bookings', 'way')
    op.drop_column('bookings', 'service')
    op.drop_column('bookings', 'visit_page')
    op.drop_column('bookings', 'visit_campaign')
    op.drop_column('bookings', 'visit_medium')
    op.drop_column('bookings', 'visit_source')
    op.drop_column('booking_policy_overrides', 'daily_limit')
    op.drop_column('booking_policy_overrides', 'buffer_minutes')
    op.drop_column('booking_policy_overrides', 'notice_hours')
    op.drop_index('ix_busy_times_starts_at_ends_at', table_name='busy_times')
    op.drop_index(op.f('ix_busy_times_calendar_id'), table_name='busy_times')
    op.drop_table('busy_times')
    op.drop_index(op.f('ix_busy_calendars_due_at'), table_name='busy_calendars')
    op.drop_index(op.f('ix_busy_calendars_consultant_id'), table_name='busy_calendars')
    op.drop_table('busy_calendars')
    op.drop_index(op.f('ix_sms_numbers_updated_at'), table_name='sms_numbers')
    op.drop_table('sms_numbers')
    op.drop_index(op.f('ix_sms_messages_to'), table_name='sms_messages')
    op.drop_index('ix_sms_messages_state_id', table_name='sms_messages')
    op.drop_index('ix_sms_messages_searched', table_name='sms_messages')
    op.drop_index('ix_sms_messages_kind_id', table_name='sms_messages')
    op.drop_index('ix_sms_messages_failed', table_name='sms_messages', sqlite_where=sa.text("state = 'failed'"), postgresql_where=sa.text("state = 'failed'"))
    op.drop_index(op.f('ix_sms_messages_due_at'), table_name='sms_messages')
    op.drop_index(op.f('ix_sms_messages_about'), table_name='sms_messages')
    op.drop_table('sms_messages')
    op.drop_index(op.f('ix_sms_early_reports_number'), table_name='sms_early_reports')
    op.drop_index(op.f('ix_sms_early_reports_created_at'), table_name='sms_early_reports')
    op.drop_table('sms_early_reports')
    op.drop_index(op.f('ix_short_links_expires_at'), table_name='short_links')
    op.drop_table('short_links')
    op.drop_table('page_views')
    op.drop_table('notice_channels')
    op.drop_table('consultants')
