"""Orders, payments and mail as staff work them: refunds, notes, status queries, searching, versions, lists.

Revision: 0007, after 0006
"""

import re
from collections.abc import Callable

import sqlalchemy as sa
import sqlmodel
from alembic import op

from agency_site.form_input import search_text

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None

PAYMENT_STATES = ('created', 'sending', 'pending', 'unknown', 'paid', 'failed', 'cancelled', 'expired', 'needs_review')
ORDER_STATES = ('awaiting', 'unpaid', 'paid', 'free', 'needs_review')
OPEN_SQL = sa.text("state IN ('created', 'pending', 'sending', 'unknown')")
LAST_PAUSE = 5
"""The number of pauses between attempts, after which a message failed."""

ORDERS = sa.table('orders', *(sa.column(name) for name in ('id', 'reference', 'first_name', 'last_name', 'email', 'phone', 'search')))
MESSAGES = sa.table('outbox_messages', *(sa.column(name) for name in ('id', 'key', 'to', 'to_name', 'subject', 'about', 'search')))



def _restate(table: sa.Table, constraint: str, members: tuple[str, ...]) -> None:
    listed = ', '.join(f"'{member}'" for member in members)
    table.drop_constraint(op.f(constraint), type_='check')
    table.create_check_constraint(op.f(constraint), sa.text(f'state IN ({listed})'))


def upgrade() -> None:
    op.create_table('order_notes',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('order_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['order_id'], ['orders.id'], name=op.f('fk_order_notes_order_id_orders')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_order_notes'))
    )
    op.create_index(op.f('ix_order_notes_order_id'), 'order_notes', ['order_id'], unique=False)
    op.create_table('status_queries',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('payment_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('outcome', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('result_code', sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
    sa.Column('result_text', sqlmodel.sql.sqltypes.AutoString(length=255), nullable=False),
    sa.ForeignKeyConstraint(['payment_id'], ['payments.id'], name=op.f('fk_status_queries_payment_id_payments')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_status_queries'))
    )
    op.create_index(op.f('ix_status_queries_payment_id'), 'status_queries', ['payment_id'], unique=False)

    with op.batch_alter_table('orders', schema=None) as batch_op:
        batch_op.add_column(sa.Column('search', sa.Text(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('version', sa.Integer(), server_default='1', nullable=False))
        batch_op.drop_index(batch_op.f('ix_orders_state'))
        batch_op.drop_index(batch_op.f('ix_orders_created_at'))
        batch_op.drop_index(batch_op.f('ix_orders_course_slug'))
        batch_op.create_index('ix_orders_state_created_at_id', ['state', 'created_at', 'id'], unique=False)
        batch_op.create_index('ix_orders_created_at_id', ['created_at', 'id'], unique=False)
        batch_op.create_index('ix_orders_course_slug_created_at', ['course_slug', 'created_at'], unique=False)
        _restate(batch_op, 'ck_orders_order_state', (*ORDER_STATES, 'refunded'))

    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.drop_index('uq_payments_one_open_per_order', sqlite_where=OPEN_SQL, postgresql_where=OPEN_SQL)
        batch_op.add_column(sa.Column('refund_reference', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True))
        batch_op.add_column(sa.Column('refunded_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('refund_reason', sqlmodel.sql.sqltypes.AutoString(length=500), server_default='', nullable=False))
        batch_op.create_unique_constraint(batch_op.f('uq_payments_refund_reference'), ['refund_reference'])
        batch_op.drop_index(batch_op.f('ix_payments_state'))
        batch_op.create_index('ix_payments_state_created_at_id', ['state', 'created_at', 'id'], unique=False)
        batch_op.create_index('ix_payments_created_at_id', ['created_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_payments_settled_at'), ['settled_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_payments_refunded_at'), ['refunded_at'], unique=False)
        _restate(batch_op, 'ck_payments_payment_state', (*PAYMENT_STATES, 'refunded'))
    _one_open_payment()

    with op.batch_alter_table('order_events', schema=None) as batch_op:
        batch_op.alter_column('actor', existing_type=sa.String(length=120), type_=sqlmodel.sql.sqltypes.AutoString(length=254), existing_nullable=False)

    with op.batch_alter_table('enrolments', schema=None) as batch_op:
        batch_op.add_column(sa.Column('ended_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.create_index(batch_op.f('ix_enrolments_created_at'), ['created_at'], unique=False)

    with op.batch_alter_table('callback_inbox', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_callback_inbox_attempt_key'), ['attempt_key'], unique=False)
        batch_op.create_index(batch_op.f('ix_callback_inbox_checkout_request_id'), ['checkout_request_id'], unique=False)

    _mail()
    _fill(ORDERS, lambda row: {'search': search_text(row.reference, row.first_name, row.last_name, row.email, row.phone)})
    _fill(MESSAGES, _of_message)


def _one_open_payment() -> None:
    op.create_index('uq_payments_one_open_per_order', 'payments', ['order_id'], unique=True, sqlite_where=OPEN_SQL, postgresql_where=OPEN_SQL)


def _mail() -> None:
    with op.batch_alter_table('outbox_messages', schema=None) as batch_op:
        batch_op.add_column(sa.Column('about', sqlmodel.sql.sqltypes.AutoString(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('repeats', sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column('requested_by', sqlmodel.sql.sqltypes.AutoString(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('search', sa.Text(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('failure', sa.Enum('refused', 'given_up', name='failure', native_enum=False, create_constraint=True, length=24), nullable=True))
        batch_op.create_index(batch_op.f('ix_outbox_messages_about'), ['about'], unique=False)
        batch_op.create_index(batch_op.f('ix_outbox_messages_repeats'), ['repeats'], unique=False)
        batch_op.create_index('ix_outbox_messages_state_id', ['state', 'id'], unique=False)
        batch_op.create_index('ix_outbox_messages_created_at_id', ['created_at', 'id'], unique=False)
        batch_op.create_index('ix_outbox_messages_kind_id', ['kind', 'id'], unique=False)
    # A message that failed before its last pause was refused; the others ran out of attempts.
    op.execute(f"UPDATE outbox_messages SET failure = CASE WHEN attempts > {LAST_PAUSE} THEN 'given_up' ELSE 'refused' END WHERE state = 'failed'")


def _of_message(row: sa.Row) -> dict[str, object]:
    """Keys and subjects of older messages name the order or booking."""
    named = re.search(r'\b(EN|BK)-[0-9A-Z]{6}\b', f'{row.key or ""} {row.subject}')
    about = named.group() if named else ''
    return {'about': about, 'search': search_text(row.to, row.to_name, row.subject, about)}


def _fill(table: sa.TableClause, values: Callable[[sa.Row], dict[str, object]]) -> None:
    connection, last = op.get_bind(), 0
    while rows := connection.execute(sa.select(table).where(table.c.id > last).order_by(table.c.id).limit(1000)).all():
        last = rows[-1].id
        found = [{'this': row.id, **values(row)} for row in rows]
        changed = {name: sa.bindparam(name) for name in found[0] if name != 'this'}
        connection.execute(sa.update(table).where(table.c.id == sa.bindparam('this')).values(changed), found)


def downgrade() -> None:
    """A refunded order counts as paid again; the event log still has the refund."""
    op.execute("UPDATE payments SET state = 'paid' WHERE state = 'refunded'")
    op.execute("UPDATE orders SET state = 'paid' WHERE state = 'refunded'")
    with op.batch_alter_table('outbox_messages', schema=None) as batch_op:
        for name in ('kind_id', 'created_at_id', 'state_id', 'repeats', 'about'):
            batch_op.drop_index(f'ix_outbox_messages_{name}')
        batch_op.drop_constraint(batch_op.f('ck_outbox_messages_failure'), type_='check')
        for name in ('failure', 'search', 'requested_by', 'repeats', 'about'):
            batch_op.drop_column(name)

    with op.batch_alter_table('callback_inbox', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_callback_inbox_checkout_request_id'))
        batch_op.drop_index(batch_op.f('ix_callback_inbox_attempt_key'))

    with op.batch_alter_table('enrolments', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_enrolments_created_at'))
        batch_op.drop_column('ended_at')

    # Longer actors than before would be refused.
    op.execute('UPDATE order_events SET actor = substr(actor, 1, 120)')
    with op.batch_alter_table('order_events', schema=None) as batch_op:
        batch_op.alter_column('actor', existing_type=sa.String(length=254), type_=sqlmodel.sql.sqltypes.AutoString(length=120), existing_nullable=False)

    with op.batch_alter_table('payments', schema=None) as batch_op:
        batch_op.drop_index('uq_payments_one_open_per_order', sqlite_where=OPEN_SQL, postgresql_where=OPEN_SQL)
        _restate(batch_op, 'ck_payments_payment_state', PAYMENT_STATES)
        batch_op.drop_index(batch_op.f('ix_payments_refunded_at'))
        batch_op.drop_index(batch_op.f('ix_payments_settled_at'))
        batch_op.drop_index('ix_payments_created_at_id')
        batch_op.drop_index('ix_payments_state_created_at_id')
        batch_op.create_index(batch_op.f('ix_payments_state'), ['state'], unique=False)
        batch_op.drop_constraint(batch_op.f('uq_payments_refund_reference'), type_='unique')
        for name in ('refund_reason', 'refunded_at', 'refund_reference'):
            batch_op.drop_column(name)
    _one_open_payment()

    with op.batch_alter_table('orders', schema=None) as batch_op:
        _restate(batch_op, 'ck_orders_order_state', ORDER_STATES)
        batch_op.drop_index('ix_orders_course_slug_created_at')
        batch_op.drop_index('ix_orders_created_at_id')
        batch_op.drop_index('ix_orders_state_created_at_id')
        for name in ('course_slug', 'created_at', 'state'):
            batch_op.create_index(batch_op.f(f'ix_orders_{name}'), [name], unique=False)
        batch_op.drop_column('version')
        batch_op.drop_column('search')

    op.drop_index(op.f('ix_status_queries_payment_id'), table_name='status_queries')
    op.drop_table('status_queries')
    op.drop_index(op.f('ix_order_notes_order_id'), table_name='order_notes')
    op.drop_table('order_notes')
