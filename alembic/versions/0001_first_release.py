"""The tables of release 1.0.

Revision: 0001, the first
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import DBAPIError
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = '0001'
down_revision = None
branch_labels = None
depends_on = None

# Each seat has a stretch of the line of whole numbers: a range needs no extension, which an owner of the database may
# not be allowed to create, as `btree_gist` for a seat beside a period would.
FIRST_SECOND = "seat * 100000000000 + extract(epoch from starts_at at time zone 'UTC')::bigint"
SEAT_OVERLAP = (
    "ALTER TABLE bookings ADD CONSTRAINT ex_bookings_seat_overlap EXCLUDE USING gist "
    f"(int8range({FIRST_SECOND}, {FIRST_SECOND} + minutes * 60) WITH &&) WHERE (state = 'confirmed')"
)
SEAT_OVERLAP_TRIGGER = """
CREATE TRIGGER ex_bookings_seat_overlap_{name} BEFORE {event} ON bookings
WHEN NEW.state = 'confirmed' AND EXISTS (
  SELECT 1 FROM bookings AS other
  WHERE other.state = 'confirmed' AND other.seat = NEW.seat AND other.id IS NOT NEW.id
    AND other.starts_at BETWEEN datetime(NEW.starts_at, '-1 day') AND datetime(NEW.starts_at, '+1 day')
    AND CAST(strftime('%s', other.starts_at) AS INTEGER) < strftime('%s', NEW.starts_at) + NEW.minutes * 60
    AND CAST(strftime('%s', NEW.starts_at) AS INTEGER) < strftime('%s', other.starts_at) + other.minutes * 60
)
BEGIN SELECT RAISE(ABORT, 'ex_bookings_seat_overlap'); END
"""
OVERLAP_EVENTS = {'insert': 'INSERT', 'update': 'UPDATE OF state, seat, starts_at, minutes'}
SEARCHED = (
    ('audit_entries', 'reference'),
    ('bookings', 'search'),
    ('comments', 'search'),
    ('enquiries', 'search'),
    ('orders', 'search'),
    ('outbox_messages', 'search'),
    ('payments', 'phone'),
    ('subscribers', 'search'),
)
TABLES = (
    'certificates', 'attendances', 'place_reservations', 'learners', 'waiting_list_entries', 'status_queries', 'reversals',
    'reported_refunds', 'refunds', 'order_events', 'newsletter_deliveries', 'idempotency_keys', 'enrolments',
    'course_sessions', 'course_run_messages', 'course_run_materials', 'course_run_events', 'subscriber_events',
    'staff_submissions', 'staff_sessions', 'staff_saved_views', 'staff_recovery_codes', 'staff_links', 'payments',
    'outbox_messages', 'order_notes', 'newsletter_opt_ins', 'newsletter_issues', 'enquiry_events', 'discrepancy_closures',
    'course_runs', 'coupon_uses', 'coupon_events', 'comment_events', 'booking_notes', 'booking_events',
    'webinar_registrations', 'unmatched_refunds', 'unassigned_transactions', 'subscribers', 'statement_imports',
    'staff_sign_in_attempts', 'staff_accounts', 'server_processes', 'schedule_exceptions', 'outbox_shared_bodies', 'orders',
    'newsletter_suppressions', 'mpesa_tokens', 'mpesa_query_slots', 'enquiries', 'coupons', 'confirmed_addresses', 'comments',
    'checked_backups', 'callback_inbox', 'bookings', 'booking_policy_overrides', 'blackouts', 'back_office_settings',
    'audit_entries',
)
"""In the order in which foreign keys let them be dropped."""


def upgrade() -> None:
    op.create_table('audit_entries',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('address', AutoString(length=64), nullable=False),
        sa.Column('action', AutoString(length=64), nullable=False),
        sa.Column('kind', AutoString(length=24), nullable=False),
        sa.Column('reference', AutoString(length=80), nullable=False),
        sa.Column('detail', AutoString(length=500), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_entries'))
    )
    op.create_index('ix_audit_entries_action_id', 'audit_entries', ['action', 'id'])
    op.create_index('ix_audit_entries_actor_id', 'audit_entries', ['actor', 'id'])
    op.create_index(op.f('ix_audit_entries_at'), 'audit_entries', ['at'])
    op.create_index('ix_audit_entries_record', 'audit_entries', ['reference', 'kind'])
    op.create_table('back_office_settings',
        sa.Column('name', AutoString(length=40), nullable=False),
        sa.Column('value', sa.JSON(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('name', name=op.f('pk_back_office_settings'))
    )
    op.create_table('blackouts',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('starts_at', UTCDateTime(), nullable=False),
        sa.Column('ends_at', UTCDateTime(), nullable=False),
        sa.Column('reason', AutoString(length=200), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.CheckConstraint('ends_at > starts_at', name=op.f('ck_blackouts_ends_after_start')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_blackouts'))
    )
    op.create_index(op.f('ix_blackouts_ends_at'), 'blackouts', ['ends_at'])
    op.create_index(op.f('ix_blackouts_starts_at'), 'blackouts', ['starts_at'])
    op.create_table('booking_policy_overrides',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('capacity', sa.Integer(), nullable=True),
        sa.Column('closed_on_holidays', sa.Boolean(), nullable=True),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint('capacity BETWEEN 1 AND 50', name=op.f('ck_booking_policy_overrides_capacity_in_range')),
        sa.CheckConstraint('id = 1', name=op.f('ck_booking_policy_overrides_single_row')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_booking_policy_overrides'))
    )
    op.create_table('bookings',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=16), nullable=False),
        sa.Column('state', sa.Enum('confirmed', 'cancelled', 'completed', 'no_show', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('fullname', AutoString(length=120), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('phone', AutoString(length=16), nullable=False),
        sa.Column('message', AutoString(length=2000), nullable=False),
        sa.Column('starts_at', UTCDateTime(), nullable=False),
        sa.Column('minutes', sa.Integer(), nullable=False),
        sa.Column('seat', sa.Integer(), nullable=False),
        sa.Column('token_seed', AutoString(length=64), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('sequence', sa.Integer(), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint('minutes BETWEEN 1 AND 1440', name=op.f('ck_bookings_minutes_within_a_day')),
        sa.CheckConstraint('seat >= 0', name=op.f('ck_bookings_seat_not_negative')),
        sa.CheckConstraint('sequence >= 0', name=op.f('ck_bookings_sequence_not_negative')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_bookings')),
        sa.UniqueConstraint('reference', name=op.f('uq_bookings_reference')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_bookings_token_hash'))
    )
    op.create_index(op.f('ix_bookings_due_at'), 'bookings', ['due_at'])
    op.create_index('ix_bookings_listed', 'bookings', ['starts_at', 'id'])
    op.create_index(op.f('ix_bookings_phone'), 'bookings', ['phone'])
    op.create_index('ix_bookings_searched', 'bookings', ['created_at', 'id', 'search'])
    op.create_index('ix_bookings_state_created_listed', 'bookings', ['state', 'created_at', 'id'])
    op.create_index('ix_bookings_state_listed', 'bookings', ['state', 'starts_at', 'id'])
    op.create_index('uq_bookings_confirmed_seat', 'bookings', ['starts_at', 'seat'], unique=True, sqlite_where=sa.text("state = 'confirmed'"), postgresql_where=sa.text("state = 'confirmed'"))
    op.create_table('callback_inbox',
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('digest', AutoString(length=64), nullable=False),
        sa.Column('body', sa.Text(), nullable=False),
        sa.Column('source', AutoString(length=64), nullable=False),
        sa.Column('attempt_key', AutoString(length=32), nullable=False),
        sa.Column('merchant_request_id', AutoString(length=128), nullable=False),
        sa.Column('checkout_request_id', AutoString(length=128), nullable=False),
        sa.Column('result_code', AutoString(length=32), nullable=False),
        sa.Column('result_text', AutoString(length=255), nullable=False),
        sa.Column('outcome', AutoString(length=24), nullable=False),
        sa.Column('amount', AutoString(length=32), nullable=False),
        sa.Column('receipt', AutoString(length=32), nullable=False),
        sa.Column('paid_at', UTCDateTime(), nullable=True),
        sa.Column('deliveries', sa.Integer(), nullable=False),
        sa.Column('received_at', UTCDateTime(), nullable=False),
        sa.Column('handled_at', UTCDateTime(), nullable=True),
        sa.Column('note', AutoString(length=255), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_callback_inbox')),
        sa.UniqueConstraint('digest', name=op.f('uq_callback_inbox_digest'))
    )
    op.create_index(op.f('ix_callback_inbox_attempt_key'), 'callback_inbox', ['attempt_key'])
    op.create_index(op.f('ix_callback_inbox_checkout_request_id'), 'callback_inbox', ['checkout_request_id'])
    op.create_index(op.f('ix_callback_inbox_due_at'), 'callback_inbox', ['due_at'])
    op.create_index(op.f('ix_callback_inbox_received_at'), 'callback_inbox', ['received_at'])
    op.create_table('checked_backups',
        sa.Column('taken_at', UTCDateTime(), nullable=False),
        sa.Column('size_bytes', sa.BigInteger(), nullable=False),
        sa.Column('seconds', sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint('taken_at', name=op.f('pk_checked_backups'))
    )
    op.create_table('comments',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('content_key', AutoString(length=96), nullable=True),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=16), nullable=False),
        sa.Column('article', AutoString(length=80), nullable=False),
        sa.Column('fullname', AutoString(length=120), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('website', sa.Text(), nullable=False),
        sa.Column('text', sa.Text(), nullable=False),
        sa.Column('state', sa.Enum('pending', 'approved', 'rejected', 'withdrawn', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('token_seed', AutoString(length=64), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('decided_at', UTCDateTime(), nullable=True),
        sa.Column('decided_by', AutoString(length=254), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_comments')),
        sa.UniqueConstraint('content_key', name=op.f('uq_comments_content_key')),
        sa.UniqueConstraint('reference', name=op.f('uq_comments_reference')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_comments_token_hash'))
    )
    op.create_index('ix_comments_article_state_created', 'comments', ['article', 'state', 'created_at', 'id'])
    op.create_index('ix_comments_searched', 'comments', ['created_at', 'id', 'search'])
    op.create_index('ix_comments_state_created', 'comments', ['state', 'created_at', 'id'])
    op.create_table('confirmed_addresses',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('address', AutoString(), nullable=False),
        sa.Column('confirmed_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_confirmed_addresses')),
        sa.UniqueConstraint('address', name=op.f('uq_confirmed_addresses_address'))
    )
    op.create_index(op.f('ix_confirmed_addresses_confirmed_at'), 'confirmed_addresses', ['confirmed_at'])
    op.create_table('coupons',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('code', AutoString(length=20), nullable=False),
        sa.Column('percent', sa.Integer(), nullable=True),
        sa.Column('amount', sa.Integer(), nullable=True),
        sa.Column('course_slug', AutoString(length=80), nullable=False),
        sa.Column('run_reference', AutoString(length=12), nullable=False),
        sa.Column('valid_from', UTCDateTime(), nullable=True),
        sa.Column('valid_until', UTCDateTime(), nullable=True),
        sa.Column('uses', sa.Integer(), nullable=True),
        sa.Column('used', sa.Integer(), nullable=False),
        sa.Column('ended_at', UTCDateTime(), nullable=True),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint('(percent IS NULL) <> (amount IS NULL)', name=op.f('ck_coupons_percent_or_amount')),
        sa.CheckConstraint('amount >= 1', name=op.f('ck_coupons_amount_positive')),
        sa.CheckConstraint('percent >= 1 AND percent <= 100', name=op.f('ck_coupons_percent_in_range')),
        sa.CheckConstraint('used >= 0 AND (uses IS NULL OR used <= uses)', name=op.f('ck_coupons_used_within_uses')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_coupons')),
        sa.UniqueConstraint('code', name=op.f('uq_coupons_code'))
    )
    op.create_index('ix_coupons_created_at_id', 'coupons', ['created_at', 'id'])
    op.create_table('enquiries',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('content_key', AutoString(length=96), nullable=True),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=16), nullable=False),
        sa.Column('kind', sa.Enum('message', 'signup', name='kind', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('state', sa.Enum('new', 'answered', 'closed', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('fullname', AutoString(length=120), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('phone', AutoString(length=16), nullable=False),
        sa.Column('subject', AutoString(length=160), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('message', sa.Text(), nullable=False),
        sa.Column('details', sa.JSON(), nullable=False),
        sa.Column('thread', AutoString(length=255), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_enquiries')),
        sa.UniqueConstraint('content_key', name=op.f('uq_enquiries_content_key')),
        sa.UniqueConstraint('reference', name=op.f('uq_enquiries_reference'))
    )
    op.create_index('ix_enquiries_created', 'enquiries', ['created_at', 'id'])
    op.create_index('ix_enquiries_kind_reference', 'enquiries', ['kind', 'reference', 'id'])
    op.create_index('ix_enquiries_kind_state_created', 'enquiries', ['kind', 'state', 'created_at', 'id'])
    op.create_index(op.f('ix_enquiries_phone'), 'enquiries', ['phone'])
    op.create_index('ix_enquiries_searched', 'enquiries', ['kind', 'created_at', 'id', 'search'])
    op.create_table('mpesa_query_slots',
        sa.Column('app_key', AutoString(length=64), nullable=False),
        sa.Column('next_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('app_key', name=op.f('pk_mpesa_query_slots'))
    )
    op.create_table('mpesa_tokens',
        sa.Column('app_key', AutoString(length=64), nullable=False),
        sa.Column('value', AutoString(length=255), nullable=False),
        sa.Column('use_until', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint('app_key', name=op.f('pk_mpesa_tokens'))
    )
    op.create_table('newsletter_suppressions',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('address_key', AutoString(length=64), nullable=False),
        sa.Column('since', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_suppressions')),
        sa.UniqueConstraint('address_key', name=op.f('uq_newsletter_suppressions_address_key'))
    )
    op.create_table('orders',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=12), nullable=False),
        sa.Column('state', sa.Enum('awaiting', 'unpaid', 'paid', 'free', 'needs_review', 'refunded', name='order_state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('first_name', AutoString(length=80), nullable=False),
        sa.Column('last_name', AutoString(length=80), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('phone', AutoString(length=16), nullable=False),
        sa.Column('company_name', AutoString(length=120), nullable=False),
        sa.Column('company_pin', AutoString(length=11), nullable=False),
        sa.Column('course_slug', AutoString(length=80), nullable=False),
        sa.Column('course_name', AutoString(length=120), nullable=False),
        sa.Column('run_reference', AutoString(length=12), nullable=False),
        sa.Column('quantity', sa.Integer(), nullable=False),
        sa.Column('unit_price', sa.Integer(), nullable=False),
        sa.Column('coupon_code', AutoString(length=20), nullable=False),
        sa.Column('discount', sa.Integer(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('currency', AutoString(length=3), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('open_key', AutoString(length=64), nullable=True),
        sa.Column('previous_order_id', sa.Integer(), nullable=True),
        sa.Column('client_digest', AutoString(length=64), nullable=False),
        sa.Column('network', AutoString(length=64), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint("(company_name = '') = (company_pin = '')", name=op.f('ck_orders_company_with_pin')),
        sa.CheckConstraint('amount = unit_price * quantity - discount', name=op.f('ck_orders_amount_is_total')),
        sa.CheckConstraint('amount >= 0', name=op.f('ck_orders_amount_not_negative')),
        sa.CheckConstraint('discount >= 0', name=op.f('ck_orders_discount_not_negative')),
        sa.CheckConstraint('quantity >= 1', name=op.f('ck_orders_quantity_positive')),
        sa.CheckConstraint('unit_price >= 0', name=op.f('ck_orders_unit_price_not_negative')),
        sa.ForeignKeyConstraint(['previous_order_id'], ['orders.id'], name=op.f('fk_orders_previous_order_id_orders')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_orders')),
        sa.UniqueConstraint('open_key', name=op.f('uq_orders_open_key')),
        sa.UniqueConstraint('previous_order_id', name=op.f('uq_orders_previous_order_id')),
        sa.UniqueConstraint('reference', name=op.f('uq_orders_reference')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_orders_token_hash'))
    )
    op.create_index('ix_orders_course_slug_created_at', 'orders', ['course_slug', 'created_at'])
    op.create_index('ix_orders_not_erased', 'orders', ['state', 'created_at'], unique=False, sqlite_where=sa.text("(email <> '' OR phone <> '' OR first_name <> '' OR last_name <> '')"), postgresql_where=sa.text("(email <> '' OR phone <> '' OR first_name <> '' OR last_name <> '')"))
    op.create_index(op.f('ix_orders_phone'), 'orders', ['phone'])
    op.create_index('ix_orders_searched', 'orders', ['created_at', 'id', 'search'])
    op.create_index('ix_orders_state_created_at_id', 'orders', ['state', 'created_at', 'id'])
    op.create_index('ix_orders_with_coupon', 'orders', ['created_at', 'id'], unique=False, sqlite_where=sa.text("coupon_code <> ''"), postgresql_where=sa.text("coupon_code <> ''"))
    op.create_table('outbox_shared_bodies',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('html', sa.Text(), nullable=False),
        sa.Column('text', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_outbox_shared_bodies'))
    )
    op.create_table('schedule_exceptions',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('date', sa.Date(), nullable=False),
        sa.Column('closed', sa.Boolean(), nullable=False),
        sa.Column('times', AutoString(length=300), nullable=False),
        sa.Column('capacity', sa.Integer(), nullable=True),
        sa.Column('reason', AutoString(length=200), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint('capacity BETWEEN 1 AND 50', name=op.f('ck_schedule_exceptions_capacity_in_range')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_schedule_exceptions')),
        sa.UniqueConstraint('date', name=op.f('uq_schedule_exceptions_date'))
    )
    op.create_table('server_processes',
        sa.Column('id', AutoString(length=32), nullable=False),
        sa.Column('host', AutoString(length=64), nullable=False),
        sa.Column('process_id', sa.Integer(), nullable=False),
        sa.Column('build', AutoString(length=16), nullable=False),
        sa.Column('started_at', UTCDateTime(), nullable=False),
        sa.Column('seen_at', UTCDateTime(), nullable=False),
        sa.Column('jobs', sa.JSON(), nullable=False),
        sa.Column('mpesa_answer', sa.Float(), nullable=False),
        sa.Column('mpesa_failure', sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_server_processes'))
    )
    op.create_index(op.f('ix_server_processes_seen_at'), 'server_processes', ['seen_at'])
    op.create_table('staff_accounts',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('name', AutoString(length=120), nullable=False),
        sa.Column('role', sa.Enum('owner', 'front_desk', 'finance', 'editor', 'viewer', 'trainer', name='role', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('password_hash', AutoString(length=255), nullable=False),
        sa.Column('disabled_at', UTCDateTime(), nullable=True),
        sa.Column('totp_seed', AutoString(length=64), nullable=False),
        sa.Column('totp_next_seed', AutoString(length=64), nullable=False),
        sa.Column('totp_confirmed_at', UTCDateTime(), nullable=True),
        sa.Column('totp_step', sa.Integer(), nullable=False),
        sa.Column('calendar_token_hash', AutoString(length=64), nullable=True),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_accounts')),
        sa.UniqueConstraint('calendar_token_hash', name=op.f('uq_staff_accounts_calendar_token_hash')),
        sa.UniqueConstraint('email', name=op.f('uq_staff_accounts_email'))
    )
    op.create_table('staff_sign_in_attempts',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('account_key', AutoString(length=64), nullable=False),
        sa.Column('address', AutoString(length=64), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_sign_in_attempts'))
    )
    op.create_index(op.f('ix_staff_sign_in_attempts_address'), 'staff_sign_in_attempts', ['address'])
    op.create_index(op.f('ix_staff_sign_in_attempts_at'), 'staff_sign_in_attempts', ['at'])
    op.create_index('ix_staff_sign_in_attempts_recent', 'staff_sign_in_attempts', ['account_key', 'address', 'at'])
    op.create_table('statement_imports',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('imported_at', UTCDateTime(), nullable=False),
        sa.Column('imported_by', AutoString(length=254), nullable=False),
        sa.Column('begins', UTCDateTime(), nullable=False),
        sa.Column('ends', UTCDateTime(), nullable=False),
        sa.Column('result', sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_statement_imports'))
    )
    op.create_index(op.f('ix_statement_imports_imported_at'), 'statement_imports', ['imported_at'])
    op.create_table('subscribers',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=16), nullable=False),
        sa.Column('email', AutoString(), nullable=False),
        sa.Column('source', AutoString(), nullable=False),
        sa.Column('state', sa.Enum('pending', 'subscribed', 'unsubscribed', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('interests', sa.JSON(), nullable=False),
        sa.Column('consented_at', UTCDateTime(), nullable=True),
        sa.Column('confirmed_at', UTCDateTime(), nullable=True),
        sa.Column('unsubscribed_at', UTCDateTime(), nullable=True),
        sa.Column('bounced_at', UTCDateTime(), nullable=True),
        sa.Column('token_seed', AutoString(length=64), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=True),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_subscribers')),
        sa.UniqueConstraint('reference', name=op.f('uq_subscribers_reference')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_subscribers_token_hash'))
    )
    op.create_index('ix_subscribers_searched', 'subscribers', ['created_at', 'id', 'search'])
    op.create_index('ix_subscribers_source_created', 'subscribers', ['source', 'created_at', 'id'])
    op.create_index('ix_subscribers_state_created', 'subscribers', ['state', 'created_at', 'id'])
    op.create_index('ix_subscribers_state_id', 'subscribers', ['state', 'id'])
    op.create_index('uq_subscribers_address', 'subscribers', ['email'], unique=True, sqlite_where=sa.text("email <> ''"), postgresql_where=sa.text("email <> ''"))
    op.create_table('unassigned_transactions',
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('receipt', AutoString(length=32), nullable=False),
        sa.Column('amount', AutoString(length=32), nullable=False),
        sa.Column('phone', AutoString(length=32), nullable=False),
        sa.Column('account', AutoString(length=64), nullable=False),
        sa.Column('short_code', AutoString(length=10), nullable=False),
        sa.Column('booked_at', UTCDateTime(), nullable=False),
        sa.Column('found_at', UTCDateTime(), nullable=False),
        sa.Column('refund_reference', AutoString(length=40), nullable=True),
        sa.Column('closing_note', AutoString(length=400), nullable=False),
        sa.Column('closed_by', AutoString(length=254), nullable=False),
        sa.Column('closed_at', UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_unassigned_transactions')),
        sa.UniqueConstraint('receipt', name=op.f('uq_unassigned_transactions_receipt'))
    )
    op.create_index(op.f('ix_unassigned_transactions_booked_at'), 'unassigned_transactions', ['booked_at'])
    op.create_index(op.f('ix_unassigned_transactions_due_at'), 'unassigned_transactions', ['due_at'])
    op.create_index(op.f('ix_unassigned_transactions_refund_reference'), 'unassigned_transactions', ['refund_reference'], unique=True)
    op.create_table('unmatched_refunds',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('receipt', AutoString(length=32), nullable=False),
        sa.Column('original', AutoString(length=32), nullable=False),
        sa.Column('amount', AutoString(length=32), nullable=False),
        sa.Column('booked_at', UTCDateTime(), nullable=False),
        sa.Column('found_at', UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_unmatched_refunds')),
        sa.UniqueConstraint('receipt', 'original', name=op.f('uq_unmatched_refunds_receipt_original'))
    )
    op.create_index(op.f('ix_unmatched_refunds_original'), 'unmatched_refunds', ['original'])
    op.create_table('webinar_registrations',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=16), nullable=False),
        sa.Column('webinar', AutoString(length=80), nullable=False),
        sa.Column('fullname', AutoString(length=120), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('phone', AutoString(length=16), nullable=False),
        sa.Column('state', sa.Enum('registered', 'cancelled', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('token_seed', AutoString(length=64), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.Column('cancelled_at', UTCDateTime(), nullable=True),
        sa.Column('cancelled_by', AutoString(length=254), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_webinar_registrations')),
        sa.UniqueConstraint('reference', name=op.f('uq_webinar_registrations_reference')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_webinar_registrations_token_hash'))
    )
    op.create_index(op.f('ix_webinar_registrations_due_at'), 'webinar_registrations', ['due_at'])
    op.create_index(op.f('ix_webinar_registrations_phone'), 'webinar_registrations', ['phone'])
    op.create_index('ix_webinar_registrations_searched', 'webinar_registrations', ['created_at', 'id', 'search'])
    op.create_index('ix_webinar_registrations_webinar_state_created', 'webinar_registrations', ['webinar', 'state', 'created_at', 'id'])
    op.create_index('uq_webinar_registrations_person', 'webinar_registrations', ['webinar', 'email'], unique=True, sqlite_where=sa.text("email <> ''"), postgresql_where=sa.text("email <> ''"))
    op.create_table('booking_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('booking_id', sa.Integer(), nullable=False),
        sa.Column('what', sa.Enum('booked', 'moved', 'cancelled', 'completed', 'no_show', 'reminded', 'restored', 'corrected', 'erased', name='what', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('before', AutoString(length=64), nullable=False),
        sa.Column('after', AutoString(length=64), nullable=False),
        sa.Column('note', AutoString(length=500), nullable=False),
        sa.ForeignKeyConstraint(['booking_id'], ['bookings.id'], name=op.f('fk_booking_events_booking_id_bookings')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_booking_events'))
    )
    op.create_index(op.f('ix_booking_events_booking_id'), 'booking_events', ['booking_id'])
    op.create_table('booking_notes',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('booking_id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.Column('text', AutoString(length=2000), nullable=False),
        sa.ForeignKeyConstraint(['booking_id'], ['bookings.id'], name=op.f('fk_booking_notes_booking_id_bookings')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_booking_notes'))
    )
    op.create_index(op.f('ix_booking_notes_booking_id'), 'booking_notes', ['booking_id'])
    op.create_table('comment_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('comment_id', sa.Integer(), nullable=False),
        sa.Column('what', sa.Enum('received', 'approved', 'rejected', 'withdrawn', 'erased', name='what', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('before', AutoString(length=24), nullable=False),
        sa.Column('after', AutoString(length=24), nullable=False),
        sa.Column('note', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['comment_id'], ['comments.id'], name=op.f('fk_comment_events_comment_id_comments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_comment_events'))
    )
    op.create_index(op.f('ix_comment_events_comment_id'), 'comment_events', ['comment_id'])
    op.create_table('coupon_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('coupon_id', sa.Integer(), nullable=False),
        sa.Column('what', AutoString(length=24), nullable=False),
        sa.Column('note', AutoString(length=500), nullable=False),
        sa.ForeignKeyConstraint(['coupon_id'], ['coupons.id'], name=op.f('fk_coupon_events_coupon_id_coupons')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_coupon_events'))
    )
    op.create_index(op.f('ix_coupon_events_coupon_id'), 'coupon_events', ['coupon_id'])
    op.create_table('coupon_uses',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=False),
        sa.Column('coupon_id', sa.Integer(), nullable=False),
        sa.Column('kept_until', UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['coupon_id'], ['coupons.id'], name=op.f('fk_coupon_uses_coupon_id_coupons')),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_coupon_uses_order_id_orders')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_coupon_uses')),
        sa.UniqueConstraint('order_id', name=op.f('uq_coupon_uses_order_id'))
    )
    op.create_index(op.f('ix_coupon_uses_coupon_id'), 'coupon_uses', ['coupon_id'])
    op.create_index(op.f('ix_coupon_uses_kept_until'), 'coupon_uses', ['kept_until'])
    op.create_table('course_runs',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=12), nullable=False),
        sa.Column('course_slug', AutoString(length=80), nullable=False),
        sa.Column('course_name', AutoString(length=120), nullable=False),
        sa.Column('status', sa.Enum('planned', 'open', 'cancelled', name='run_status', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('starts_at', UTCDateTime(), nullable=False),
        sa.Column('ends_at', UTCDateTime(), nullable=False),
        sa.Column('trainer', AutoString(length=120), nullable=False),
        sa.Column('trainer_email', AutoString(length=254), nullable=True),
        sa.Column('room', AutoString(length=500), nullable=False),
        sa.Column('capacity', sa.Integer(), nullable=True),
        sa.Column('taken', sa.Integer(), nullable=False),
        sa.Column('price', sa.Integer(), nullable=True),
        sa.Column('enrol_from', UTCDateTime(), nullable=True),
        sa.Column('enrol_until', UTCDateTime(), nullable=True),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint('capacity IS NULL OR capacity >= 1', name=op.f('ck_course_runs_capacity_positive')),
        sa.CheckConstraint('capacity IS NULL OR taken <= capacity', name=op.f('ck_course_runs_taken_within_capacity')),
        sa.CheckConstraint('price IS NULL OR price >= 1', name=op.f('ck_course_runs_price_positive')),
        sa.CheckConstraint('starts_at <= ends_at', name=op.f('ck_course_runs_ends_after_start')),
        sa.CheckConstraint('taken >= 0', name=op.f('ck_course_runs_taken_not_negative')),
        sa.ForeignKeyConstraint(['trainer_email'], ['staff_accounts.email'], name=op.f('fk_course_runs_trainer_email_staff_accounts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_course_runs')),
        sa.UniqueConstraint('reference', name=op.f('uq_course_runs_reference'))
    )
    op.create_index('ix_course_runs_course_slug_starts_at', 'course_runs', ['course_slug', 'starts_at'])
    op.create_index('ix_course_runs_starts_at_id', 'course_runs', ['starts_at', 'id'])
    op.create_index(op.f('ix_course_runs_trainer_email'), 'course_runs', ['trainer_email'])
    op.create_table('discrepancy_closures',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=True),
        sa.Column('callback_id', sa.Integer(), nullable=True),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('note', AutoString(length=400), nullable=False),
        sa.Column('closed_by', AutoString(length=254), nullable=False),
        sa.Column('closed_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint('order_id IS NOT NULL OR callback_id IS NOT NULL', name=op.f('ck_discrepancy_closures_names_a_record')),
        sa.ForeignKeyConstraint(['callback_id'], ['callback_inbox.id'], name=op.f('fk_discrepancy_closures_callback_id_callback_inbox')),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_discrepancy_closures_order_id_orders')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_discrepancy_closures')),
        sa.UniqueConstraint('callback_id', 'amount', name=op.f('uq_discrepancy_closures_callback_id_amount'))
    )
    op.create_index(op.f('ix_discrepancy_closures_order_id'), 'discrepancy_closures', ['order_id'])
    op.create_index('uq_discrepancy_closures_order_sums', 'discrepancy_closures', ['order_id', 'amount'], unique=True, sqlite_where=sa.text('callback_id IS NULL'), postgresql_where=sa.text('callback_id IS NULL'))
    op.create_table('enquiry_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('enquiry_id', sa.Integer(), nullable=False),
        sa.Column('what', sa.Enum('received', 'replied', 'answered', 'closed', 'reopened', 'noted', 'erased', name='what', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('before', AutoString(length=24), nullable=False),
        sa.Column('after', AutoString(length=24), nullable=False),
        sa.Column('note', sa.Text(), nullable=False),
        sa.Column('reply', sa.Text(), nullable=False),
        sa.Column('message_id', AutoString(length=255), nullable=False),
        sa.ForeignKeyConstraint(['enquiry_id'], ['enquiries.id'], name=op.f('fk_enquiry_events_enquiry_id_enquiries')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_enquiry_events'))
    )
    op.create_index(op.f('ix_enquiry_events_enquiry_id'), 'enquiry_events', ['enquiry_id'])
    op.create_table('newsletter_issues',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=16), nullable=False),
        sa.Column('number', sa.Integer(), nullable=True),
        sa.Column('slug', AutoString(length=80), nullable=False),
        sa.Column('title', AutoString(length=120), nullable=False),
        sa.Column('summary', AutoString(length=300), nullable=False),
        sa.Column('text', sa.Text(), nullable=False),
        sa.Column('interests', sa.JSON(), nullable=False),
        sa.Column('state', sa.Enum('draft', 'scheduled', 'sending', 'sent', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('scheduled_at', UTCDateTime(), nullable=True),
        sa.Column('started_at', UTCDateTime(), nullable=True),
        sa.Column('sent_at', UTCDateTime(), nullable=True),
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('shared_body_id', sa.Integer(), nullable=True),
        sa.Column('last_subscriber_id', sa.Integer(), nullable=False),
        sa.Column('audience', sa.Integer(), nullable=False),
        sa.Column('processed', sa.Integer(), nullable=False),
        sa.Column('mails_created', sa.Integer(), nullable=False),
        sa.Column('mails_refused', sa.Integer(), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.Column('editor', AutoString(length=254), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['shared_body_id'], ['outbox_shared_bodies.id'], name=op.f('fk_newsletter_issues_shared_body_id_outbox_shared_bodies')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_issues')),
        sa.UniqueConstraint('number', name=op.f('uq_newsletter_issues_number')),
        sa.UniqueConstraint('reference', name=op.f('uq_newsletter_issues_reference')),
        sa.UniqueConstraint('slug', name=op.f('uq_newsletter_issues_slug'))
    )
    op.create_index(op.f('ix_newsletter_issues_scheduled_at'), 'newsletter_issues', ['scheduled_at'])
    op.create_index(op.f('ix_newsletter_issues_sent_at'), 'newsletter_issues', ['sent_at'])
    op.create_index('ix_newsletter_issues_state_due', 'newsletter_issues', ['state', 'due_at'])
    op.create_index('ix_newsletter_issues_updated', 'newsletter_issues', ['updated_at', 'id'])
    op.create_table('newsletter_opt_ins',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('subscriber_id', sa.Integer(), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('interests', sa.JSON(), nullable=True),
        sa.Column('consent_text', sa.Text(), nullable=False),
        sa.Column('ticked_at', UTCDateTime(), nullable=True),
        sa.Column('address', AutoString(length=64), nullable=False),
        sa.Column('source', AutoString(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('confirmed_at', UTCDateTime(), nullable=True),
        sa.Column('confirmed_from', AutoString(length=64), nullable=False),
        sa.Column('void_at', UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['subscriber_id'], ['subscribers.id'], name=op.f('fk_newsletter_opt_ins_subscriber_id_subscribers')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_opt_ins')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_newsletter_opt_ins_token_hash'))
    )
    op.create_index(op.f('ix_newsletter_opt_ins_subscriber_id'), 'newsletter_opt_ins', ['subscriber_id'])
    op.create_table('order_notes',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.Column('text', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_order_notes_order_id_orders')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_notes'))
    )
    op.create_index(op.f('ix_order_notes_order_id'), 'order_notes', ['order_id'])
    op.create_table('outbox_messages',
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('kind', AutoString(), nullable=False),
        sa.Column('to', AutoString(), nullable=False),
        sa.Column('to_name', AutoString(), nullable=False),
        sa.Column('subject', AutoString(), nullable=False),
        sa.Column('content', sa.JSON(), nullable=False),
        sa.Column('shared_body_id', sa.Integer(), nullable=True),
        sa.Column('attachments', sa.JSON(), nullable=False),
        sa.Column('headers', sa.JSON(), nullable=False),
        sa.Column('message_id', AutoString(), nullable=False),
        sa.Column('key', AutoString(), nullable=True),
        sa.Column('about', AutoString(), nullable=False),
        sa.Column('original_id', sa.Integer(), nullable=True),
        sa.Column('requested_by', AutoString(), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('state', sa.Enum('queued', 'sent', 'kept', 'failed', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('failure', sa.Enum('refused', 'given_up', name='failure', native_enum=False, create_constraint=True, length=24), nullable=True),
        sa.Column('last_error', AutoString(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('sent_at', UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['shared_body_id'], ['outbox_shared_bodies.id'], name=op.f('fk_outbox_messages_shared_body_id_outbox_shared_bodies')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_outbox_messages')),
        sa.UniqueConstraint('key', name=op.f('uq_outbox_messages_key')),
        sa.UniqueConstraint('message_id', name=op.f('uq_outbox_messages_message_id'))
    )
    op.create_index(op.f('ix_outbox_messages_about'), 'outbox_messages', ['about'])
    op.create_index(op.f('ix_outbox_messages_due_at'), 'outbox_messages', ['due_at'])
    op.create_index('ix_outbox_messages_failed', 'outbox_messages', ['state', 'created_at', 'id'], unique=False, sqlite_where=sa.text("state = 'failed'"), postgresql_where=sa.text("state = 'failed'"))
    op.create_index('ix_outbox_messages_kind_id', 'outbox_messages', ['kind', 'id'])
    op.create_index(op.f('ix_outbox_messages_original_id'), 'outbox_messages', ['original_id'])
    op.create_index('ix_outbox_messages_searched', 'outbox_messages', ['created_at', 'id', 'search'])
    op.create_index(op.f('ix_outbox_messages_shared_body_id'), 'outbox_messages', ['shared_body_id'])
    op.create_index('ix_outbox_messages_state_id', 'outbox_messages', ['state', 'id'])
    op.create_table('payments',
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.Enum('prompt', 'paybill', 'cash', 'bank', name='payment_kind', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('attempt_key', AutoString(length=32), nullable=False),
        sa.Column('account_reference', AutoString(length=12), nullable=False),
        sa.Column('state', sa.Enum('created', 'sending', 'pending', 'unknown', 'paid', 'failed', 'cancelled', 'expired', 'needs_review', 'refunded', name='payment_state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('phone', AutoString(length=12), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('merchant_request_id', AutoString(length=128), nullable=True),
        sa.Column('checkout_request_id', AutoString(length=128), nullable=True),
        sa.Column('receipt', AutoString(length=32), nullable=True),
        sa.Column('result_code', AutoString(length=32), nullable=False),
        sa.Column('result_text', AutoString(length=255), nullable=False),
        sa.Column('customer_message', AutoString(length=255), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('sent_at', UTCDateTime(), nullable=True),
        sa.Column('settled_at', UTCDateTime(), nullable=True),
        sa.Column('paid_at', UTCDateTime(), nullable=True),
        sa.Column('refunded', sa.Integer(), nullable=False),
        sa.Column('queried_at', UTCDateTime(), nullable=True),
        sa.Column('queries', sa.Integer(), nullable=False),
        sa.Column('success_seen_at', UTCDateTime(), nullable=True),
        sa.Column('failure_seen_at', UTCDateTime(), nullable=True),
        sa.CheckConstraint('amount >= 1', name=op.f('ck_payments_amount_positive')),
        sa.CheckConstraint('refunded >= 0 AND refunded <= amount', name=op.f('ck_payments_refunded_within_amount')),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_payments_order_id_orders')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_payments')),
        sa.UniqueConstraint('account_reference', name=op.f('uq_payments_account_reference')),
        sa.UniqueConstraint('attempt_key', name=op.f('uq_payments_attempt_key')),
        sa.UniqueConstraint('checkout_request_id', name=op.f('uq_payments_checkout_request_id')),
        sa.UniqueConstraint('merchant_request_id', name=op.f('uq_payments_merchant_request_id')),
        sa.UniqueConstraint('receipt', name=op.f('uq_payments_receipt'))
    )
    op.create_index('ix_payments_created_at_id', 'payments', ['created_at', 'id'])
    op.create_index(op.f('ix_payments_due_at'), 'payments', ['due_at'])
    op.create_index('ix_payments_in_review', 'payments', ['state', 'order_id'], unique=False, sqlite_where=sa.text("state = 'needs_review'"), postgresql_where=sa.text("state = 'needs_review'"))
    op.create_index('ix_payments_kind_created_at_id', 'payments', ['kind', 'created_at', 'id'])
    op.create_index(op.f('ix_payments_order_id'), 'payments', ['order_id'])
    op.create_index('ix_payments_phone_created_at', 'payments', ['phone', 'created_at'])
    op.create_index('ix_payments_state_created_at_id', 'payments', ['state', 'created_at', 'id'])
    op.create_index('ix_payments_state_paid', 'payments', ['state', 'paid_at', 'order_id', 'amount', 'receipt', 'kind'])
    op.create_index('uq_payments_one_open_per_order', 'payments', ['order_id'], unique=True, sqlite_where=sa.text("kind = 'prompt' AND state IN ('created', 'pending', 'sending', 'unknown')"), postgresql_where=sa.text("kind = 'prompt' AND state IN ('created', 'pending', 'sending', 'unknown')"))
    op.create_table('staff_links',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('account_id', sa.Integer(), nullable=True),
        sa.Column('purpose', sa.Enum('setup', 'invitation', 'reset', name='purpose', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('expires_at', UTCDateTime(), nullable=False),
        sa.Column('used_at', UTCDateTime(), nullable=True),
        sa.CheckConstraint("account_id IS NOT NULL OR purpose = 'setup'", name=op.f('ck_staff_links_account')),
        sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_links_account_id_staff_accounts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_links')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_staff_links_token_hash'))
    )
    op.create_index(op.f('ix_staff_links_account_id'), 'staff_links', ['account_id'])
    op.create_table('staff_recovery_codes',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('account_id', sa.Integer(), nullable=False),
        sa.Column('code_hash', AutoString(length=64), nullable=False),
        sa.Column('used_at', UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_recovery_codes_account_id_staff_accounts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_recovery_codes')),
        sa.UniqueConstraint('code_hash', name=op.f('uq_staff_recovery_codes_code_hash'))
    )
    op.create_index(op.f('ix_staff_recovery_codes_account_id'), 'staff_recovery_codes', ['account_id'])
    op.create_table('staff_saved_views',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('account_id', sa.Integer(), nullable=False),
        sa.Column('list_name', AutoString(length=40), nullable=False),
        sa.Column('name', AutoString(length=60), nullable=False),
        sa.Column('query', AutoString(length=1000), nullable=False),
        sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_saved_views_account_id_staff_accounts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_saved_views')),
        sa.UniqueConstraint('account_id', 'list_name', 'name', name=op.f('uq_staff_saved_views_account_id_list_name_name'))
    )
    op.create_index(op.f('ix_staff_saved_views_account_id'), 'staff_saved_views', ['account_id'])
    op.create_table('staff_sessions',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('account_id', sa.Integer(), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('address', AutoString(length=64), nullable=False),
        sa.Column('browser', AutoString(length=200), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('seen_at', UTCDateTime(), nullable=False),
        sa.Column('ended_at', UTCDateTime(), nullable=True),
        sa.Column('end_reason', sa.Enum('signed_out', 'elsewhere', 'owner', 'role', 'disabled', 'password', 'second_factor', 'idle', 'expired', name='end_reason', native_enum=False, create_constraint=True, length=24), nullable=True),
        sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_sessions_account_id_staff_accounts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_sessions')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_staff_sessions_token_hash'))
    )
    op.create_index(op.f('ix_staff_sessions_account_id'), 'staff_sessions', ['account_id'])
    op.create_table('staff_submissions',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('account_id', sa.Integer(), nullable=False),
        sa.Column('key', AutoString(length=32), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_submissions_account_id_staff_accounts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_submissions')),
        sa.UniqueConstraint('account_id', 'key', name=op.f('uq_staff_submissions_account_id_key'))
    )
    op.create_index(op.f('ix_staff_submissions_at'), 'staff_submissions', ['at'])
    op.create_table('subscriber_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('subscriber_id', sa.Integer(), nullable=False),
        sa.Column('what', sa.Enum('subscribed', 'chose', 'confirmed', 'unsubscribed', 'erased', name='what', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('note', sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(['subscriber_id'], ['subscribers.id'], name=op.f('fk_subscriber_events_subscriber_id_subscribers')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_subscriber_events'))
    )
    op.create_index(op.f('ix_subscriber_events_subscriber_id'), 'subscriber_events', ['subscriber_id'])
    op.create_table('course_run_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('run_id', sa.Integer(), nullable=False),
        sa.Column('what', AutoString(length=24), nullable=False),
        sa.Column('before', AutoString(length=40), nullable=False),
        sa.Column('after', AutoString(length=40), nullable=False),
        sa.Column('note', AutoString(length=500), nullable=False),
        sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_run_events_run_id_course_runs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_course_run_events'))
    )
    op.create_index(op.f('ix_course_run_events_run_id'), 'course_run_events', ['run_id'])
    op.create_table('course_run_materials',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('run_id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.Enum('material', 'recording', name='material_kind', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('title', AutoString(length=120), nullable=False),
        sa.Column('address', AutoString(length=500), nullable=False),
        sa.Column('added_at', UTCDateTime(), nullable=False),
        sa.Column('added_by', AutoString(length=254), nullable=False),
        sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_run_materials_run_id_course_runs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_course_run_materials')),
        sa.UniqueConstraint('run_id', 'address', name=op.f('uq_course_run_materials_run_id_address'))
    )
    op.create_table('course_run_messages',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('run_id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.Column('subject', AutoString(length=120), nullable=False),
        sa.Column('text', AutoString(length=4000), nullable=False),
        sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_run_messages_run_id_course_runs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_course_run_messages'))
    )
    op.create_index(op.f('ix_course_run_messages_run_id'), 'course_run_messages', ['run_id'])
    op.create_table('course_sessions',
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('run_id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=12), nullable=False),
        sa.Column('sequence', sa.Integer(), nullable=False),
        sa.Column('starts_at', UTCDateTime(), nullable=False),
        sa.Column('minutes', sa.Integer(), nullable=False),
        sa.Column('topic', AutoString(length=200), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint('minutes >= 1', name=op.f('ck_course_sessions_minutes_positive')),
        sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_course_sessions_run_id_course_runs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_course_sessions')),
        sa.UniqueConstraint('reference', name=op.f('uq_course_sessions_reference')),
        sa.UniqueConstraint('run_id', 'starts_at', name=op.f('uq_course_sessions_run_id_starts_at'))
    )
    op.create_index(op.f('ix_course_sessions_due_at'), 'course_sessions', ['due_at'])
    op.create_index(op.f('ix_course_sessions_run_id'), 'course_sessions', ['run_id'])
    op.create_table('enrolments',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=12), nullable=False),
        sa.Column('course_slug', AutoString(length=80), nullable=False),
        sa.Column('course_name', AutoString(length=120), nullable=False),
        sa.Column('run_id', sa.Integer(), nullable=True),
        sa.Column('places', sa.Integer(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('ended_at', UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_enrolments_order_id_orders')),
        sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_enrolments_run_id_course_runs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_enrolments')),
        sa.UniqueConstraint('order_id', name=op.f('uq_enrolments_order_id')),
        sa.UniqueConstraint('reference', name=op.f('uq_enrolments_reference'))
    )
    op.create_index('ix_enrolments_course_slug_created_at', 'enrolments', ['course_slug', 'created_at', 'id'])
    op.create_index('ix_enrolments_created', 'enrolments', ['created_at', 'id', 'order_id', 'course_slug', 'course_name'])
    op.create_index('ix_enrolments_ended', 'enrolments', ['created_at', 'id'], unique=False, sqlite_where=sa.text('ended_at IS NOT NULL'), postgresql_where=sa.text('ended_at IS NOT NULL'))
    op.create_index(op.f('ix_enrolments_run_id'), 'enrolments', ['run_id'])
    op.create_table('idempotency_keys',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('route', AutoString(length=80), nullable=False),
        sa.Column('key', AutoString(length=255), nullable=False),
        sa.Column('body_digest', AutoString(length=64), nullable=False),
        sa.Column('payment_id', sa.Integer(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_idempotency_keys_payment_id_payments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_idempotency_keys')),
        sa.UniqueConstraint('route', 'key', name=op.f('uq_idempotency_keys_route_key'))
    )
    op.create_index(op.f('ix_idempotency_keys_created_at'), 'idempotency_keys', ['created_at'])
    op.create_index(op.f('ix_idempotency_keys_payment_id'), 'idempotency_keys', ['payment_id'])
    op.create_table('newsletter_deliveries',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('subscriber_id', sa.Integer(), nullable=False),
        sa.Column('state', sa.Enum('handed', 'refused', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['issue_id'], ['newsletter_issues.id'], name=op.f('fk_newsletter_deliveries_issue_id_newsletter_issues')),
        sa.ForeignKeyConstraint(['subscriber_id'], ['subscribers.id'], name=op.f('fk_newsletter_deliveries_subscriber_id_subscribers')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_deliveries')),
        sa.UniqueConstraint('issue_id', 'subscriber_id', name=op.f('uq_newsletter_deliveries_issue_id_subscriber_id'))
    )
    op.create_index(op.f('ix_newsletter_deliveries_subscriber_id'), 'newsletter_deliveries', ['subscriber_id'])
    op.create_table('order_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=False),
        sa.Column('payment_id', sa.Integer(), nullable=True),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('from_state', AutoString(length=24), nullable=False),
        sa.Column('to_state', AutoString(length=24), nullable=False),
        sa.Column('why', AutoString(length=500), nullable=False),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_order_events_order_id_orders')),
        sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_order_events_payment_id_payments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_events'))
    )
    op.create_index(op.f('ix_order_events_order_id'), 'order_events', ['order_id'])
    op.create_index(op.f('ix_order_events_payment_id'), 'order_events', ['payment_id'])
    op.create_table('refunds',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('payment_id', sa.Integer(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=40), nullable=False),
        sa.Column('reason', AutoString(length=500), nullable=False),
        sa.Column('refunded_at', UTCDateTime(), nullable=False),
        sa.Column('refunded_by', AutoString(length=254), nullable=False),
        sa.CheckConstraint('amount >= 1', name=op.f('ck_refunds_amount_positive')),
        sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_refunds_payment_id_payments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_refunds')),
        sa.UniqueConstraint('reference', name=op.f('uq_refunds_reference'))
    )
    op.create_index(op.f('ix_refunds_payment_id'), 'refunds', ['payment_id'])
    op.create_index(op.f('ix_refunds_refunded_at'), 'refunds', ['refunded_at'])
    op.create_table('reported_refunds',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('receipt', AutoString(length=32), nullable=False),
        sa.Column('payment_id', sa.Integer(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('booked_at', UTCDateTime(), nullable=False),
        sa.Column('found_at', UTCDateTime(), nullable=False),
        sa.Column('closing_note', AutoString(length=400), nullable=False),
        sa.Column('closed_by', AutoString(length=254), nullable=False),
        sa.Column('closed_at', UTCDateTime(), nullable=True),
        sa.CheckConstraint('amount >= 1', name=op.f('ck_reported_refunds_amount_positive')),
        sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_reported_refunds_payment_id_payments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_reported_refunds')),
        sa.UniqueConstraint('receipt', name=op.f('uq_reported_refunds_receipt'))
    )
    op.create_index(op.f('ix_reported_refunds_booked_at'), 'reported_refunds', ['booked_at'])
    op.create_index(op.f('ix_reported_refunds_payment_id'), 'reported_refunds', ['payment_id'])
    op.create_table('reversals',
        sa.Column('due_at', UTCDateTime(), nullable=True),
        sa.Column('leased_until', UTCDateTime(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('payment_id', sa.Integer(), nullable=False),
        sa.Column('attempt_key', AutoString(length=32), nullable=False),
        sa.Column('state', sa.Enum('created', 'pending', 'unknown', 'done', 'failed', name='reversal_state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('reason', AutoString(length=500), nullable=False),
        sa.Column('originator_id', AutoString(length=128), nullable=False),
        sa.Column('conversation_id', AutoString(length=128), nullable=False),
        sa.Column('reference', AutoString(length=40), nullable=False),
        sa.Column('result_code', AutoString(length=32), nullable=False),
        sa.Column('result_text', AutoString(length=255), nullable=False),
        sa.Column('requested_at', UTCDateTime(), nullable=False),
        sa.Column('requested_by', AutoString(length=254), nullable=False),
        sa.Column('settled_at', UTCDateTime(), nullable=True),
        sa.CheckConstraint('amount >= 1', name=op.f('ck_reversals_amount_positive')),
        sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_reversals_payment_id_payments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_reversals')),
        sa.UniqueConstraint('attempt_key', name=op.f('uq_reversals_attempt_key'))
    )
    op.create_index(op.f('ix_reversals_due_at'), 'reversals', ['due_at'])
    op.create_index(op.f('ix_reversals_payment_id'), 'reversals', ['payment_id'])
    op.create_index('uq_reversals_one_open_per_payment', 'reversals', ['payment_id'], unique=True, sqlite_where=sa.text("state IN ('created', 'pending', 'unknown')"), postgresql_where=sa.text("state IN ('created', 'pending', 'unknown')"))
    op.create_table('status_queries',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('payment_id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('outcome', AutoString(length=24), nullable=False),
        sa.Column('result_code', AutoString(length=32), nullable=False),
        sa.Column('result_text', AutoString(length=255), nullable=False),
        sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_status_queries_payment_id_payments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_status_queries'))
    )
    op.create_index(op.f('ix_status_queries_payment_id'), 'status_queries', ['payment_id'])
    op.create_table('waiting_list_entries',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reference', AutoString(length=12), nullable=False),
        sa.Column('run_id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=True),
        sa.Column('state', sa.Enum('waiting', 'offered', 'taken', 'lapsed', 'closed', name='waiting_state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('places', sa.Integer(), nullable=False),
        sa.Column('fullname', AutoString(length=161), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('confirmed_at', UTCDateTime(), nullable=True),
        sa.Column('reserved_until', UTCDateTime(), nullable=True),
        sa.Column('token_seed', AutoString(length=64), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint("state <> 'offered' OR reserved_until IS NOT NULL", name=op.f('ck_waiting_list_entries_offered_for_a_time')),
        sa.CheckConstraint('places >= 1', name=op.f('ck_waiting_list_entries_places_positive')),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_waiting_list_entries_order_id_orders')),
        sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_waiting_list_entries_run_id_course_runs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_waiting_list_entries')),
        sa.UniqueConstraint('reference', name=op.f('uq_waiting_list_entries_reference')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_waiting_list_entries_token_hash'))
    )
    op.create_index('ix_waiting_list_entries_created_at_id', 'waiting_list_entries', ['created_at', 'id'])
    op.create_index('ix_waiting_list_entries_run_id_state', 'waiting_list_entries', ['run_id', 'state'])
    op.create_index('uq_waiting_list_entries_open_email', 'waiting_list_entries', ['run_id', 'email'], unique=True, sqlite_where=sa.text("state IN ('waiting', 'offered') AND order_id IS NULL AND email <> ''"), postgresql_where=sa.text("state IN ('waiting', 'offered') AND order_id IS NULL AND email <> ''"))
    op.create_index('uq_waiting_list_entries_waiting_order', 'waiting_list_entries', ['order_id'], unique=True, sqlite_where=sa.text("state = 'waiting' AND order_id IS NOT NULL"), postgresql_where=sa.text("state = 'waiting' AND order_id IS NOT NULL"))
    op.create_table('learners',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('enrolment_id', sa.Integer(), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('ended_at', UTCDateTime(), nullable=True),
        sa.Column('reference', AutoString(length=12), nullable=False),
        sa.Column('fullname', AutoString(length=161), nullable=False),
        sa.Column('email', AutoString(length=254), nullable=False),
        sa.Column('token_seed', AutoString(length=64), nullable=False),
        sa.Column('token_hash', AutoString(length=64), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.CheckConstraint("(fullname = '') = (email = '')", name=op.f('ck_learners_named_in_full')),
        sa.CheckConstraint('number >= 1', name=op.f('ck_learners_number_positive')),
        sa.ForeignKeyConstraint(['enrolment_id'], ['enrolments.id'], name=op.f('fk_learners_enrolment_id_enrolments')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_learners')),
        sa.UniqueConstraint('enrolment_id', 'number', name=op.f('uq_learners_enrolment_id_number')),
        sa.UniqueConstraint('reference', name=op.f('uq_learners_reference')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_learners_token_hash'))
    )
    op.create_index('ix_learners_created_at_id', 'learners', ['created_at', 'id'])
    op.create_table('place_reservations',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.Integer(), nullable=True),
        sa.Column('entry_id', sa.Integer(), nullable=True),
        sa.Column('run_id', sa.Integer(), nullable=False),
        sa.Column('places', sa.Integer(), nullable=False),
        sa.Column('kept_until', UTCDateTime(), nullable=True),
        sa.CheckConstraint('order_id IS NOT NULL OR entry_id IS NOT NULL', name=op.f('ck_place_reservations_kept_for_order_or_entry')),
        sa.CheckConstraint('places >= 1', name=op.f('ck_place_reservations_places_positive')),
        sa.ForeignKeyConstraint(['entry_id'], ['waiting_list_entries.id'], name=op.f('fk_place_reservations_entry_id_waiting_list_entries')),
        sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_place_reservations_order_id_orders')),
        sa.ForeignKeyConstraint(['run_id'], ['course_runs.id'], name=op.f('fk_place_reservations_run_id_course_runs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_place_reservations')),
        sa.UniqueConstraint('entry_id', name=op.f('uq_place_reservations_entry_id')),
        sa.UniqueConstraint('order_id', name=op.f('uq_place_reservations_order_id'))
    )
    op.create_index(op.f('ix_place_reservations_kept_until'), 'place_reservations', ['kept_until'])
    op.create_index(op.f('ix_place_reservations_run_id'), 'place_reservations', ['run_id'])
    op.create_table('attendances',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('session_id', sa.Integer(), nullable=False),
        sa.Column('learner_id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.ForeignKeyConstraint(['learner_id'], ['learners.id'], name=op.f('fk_attendances_learner_id_learners')),
        sa.ForeignKeyConstraint(['session_id'], ['course_sessions.id'], name=op.f('fk_attendances_session_id_course_sessions')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_attendances')),
        sa.UniqueConstraint('session_id', 'learner_id', name=op.f('uq_attendances_session_id_learner_id'))
    )
    op.create_index(op.f('ix_attendances_learner_id'), 'attendances', ['learner_id'])
    op.create_table('certificates',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('learner_id', sa.Integer(), nullable=False),
        sa.Column('serial', AutoString(length=40), nullable=False),
        sa.Column('fullname', AutoString(length=161), nullable=False),
        sa.Column('course_name', AutoString(length=120), nullable=False),
        sa.Column('minutes', sa.Integer(), nullable=False),
        sa.Column('is_name_shown', sa.Boolean(), nullable=False),
        sa.Column('issued_at', UTCDateTime(), nullable=False),
        sa.Column('issued_by', AutoString(length=254), nullable=False),
        sa.Column('revoked_at', UTCDateTime(), nullable=True),
        sa.Column('revoked_by', AutoString(length=254), nullable=False),
        sa.Column('revoke_reason', AutoString(length=500), nullable=False),
        sa.CheckConstraint("(revoked_at IS NULL) = (revoked_by = '')", name=op.f('ck_certificates_revoked_by_staff')),
        sa.CheckConstraint('minutes >= 1', name=op.f('ck_certificates_minutes_positive')),
        sa.ForeignKeyConstraint(['learner_id'], ['learners.id'], name=op.f('fk_certificates_learner_id_learners')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_certificates')),
        sa.UniqueConstraint('serial', name=op.f('uq_certificates_serial'))
    )
    op.create_index(op.f('ix_certificates_learner_id'), 'certificates', ['learner_id'])
    op.create_index('uq_certificates_valid_learner', 'certificates', ['learner_id'], unique=True, sqlite_where=sa.text('revoked_at IS NULL'), postgresql_where=sa.text('revoked_at IS NULL'))
    op.create_index('ix_bookings_lower_email', 'bookings', [sa.literal_column('lower("email")')])
    op.create_index('ix_comments_lower_email', 'comments', [sa.literal_column('lower("email")')])
    op.create_index('ix_enquiries_lower_email', 'enquiries', [sa.literal_column('lower("email")')])
    op.create_index('ix_orders_lower_email', 'orders', [sa.literal_column('lower("email")')])
    op.create_index('ix_subscribers_lower_email', 'subscribers', [sa.literal_column('lower("email")')])
    op.create_index('ix_webinar_registrations_lower_email', 'webinar_registrations', [sa.literal_column('lower("email")')])
    op.create_index('ix_outbox_messages_lower_to', 'outbox_messages', [sa.literal_column('lower("to")')])
    op.create_index('ix_waiting_list_entries_lower_email', 'waiting_list_entries', [sa.literal_column('lower("email")')])
    op.create_index('ix_learners_lower_email', 'learners', [sa.literal_column('lower("email")')])
    if op.get_bind().dialect.name == 'postgresql':
        _add_postgresql_rules()
        _index_trigrams()
    else:
        _add_sqlite_triggers()


def _add_postgresql_rules() -> None:
    op.execute(SEAT_OVERLAP)
    op.execute(
        "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    )


def _add_sqlite_triggers() -> None:
    for name, event in OVERLAP_EVENTS.items():
        op.execute(SEAT_OVERLAP_TRIGGER.format(name=name, event=event))
    for verb in ('UPDATE', 'DELETE'):
        op.execute(
            f"CREATE TRIGGER audit_entries_no_{verb.lower()} BEFORE {verb} ON audit_entries "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        )


def _index_trigrams() -> None:
    """Index the texts that lists search. Where PostgreSQL refuses the extension, searching works without, by reading all rows."""
    connection = op.get_bind()
    try:
        with connection.begin_nested():
            connection.execute(sa.text('CREATE EXTENSION IF NOT EXISTS pg_trgm'))
            for table, column in SEARCHED:
                name = f'ix_{table}_{column}_trgm'
                connection.execute(sa.text(f'CREATE INDEX {name} ON {table} USING gin ({column} gin_trgm_ops)'))
    except DBAPIError:
        pass


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    if op.get_bind().dialect.name == 'postgresql':
        op.execute('DROP FUNCTION refuse_audit_change()')
