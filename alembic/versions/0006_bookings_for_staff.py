"""Bookings for staff: what lists search and sort by, versions, notes, schedule exceptions, booking settings.

Revision: 0006, after 0005
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op
from sqlalchemy.exc import DBAPIError

from agency_site.form_input import search_text


revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None

OLD_CHANGES = ('booked', 'moved', 'cancelled', 'completed', 'no_show', 'reminded')
NEW_CHANGES = (*OLD_CHANGES, 'restored', 'corrected', 'erased')
BOOKINGS = sa.table(
    'bookings', *(sa.column(name, sa.String()) for name in ('reference', 'fullname', 'email', 'phone', 'search')),
    sa.column('id', sa.Integer()),
)
AT_A_TIME = 1000
TRIGRAMS = 'ix_bookings_search_trgm'

def upgrade() -> None:
    op.create_table('booking_choices',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('capacity', sa.Integer(), nullable=True),
    sa.Column('closed_on_holidays', sa.Boolean(), nullable=True),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint('capacity BETWEEN 1 AND 50', name=op.f('ck_booking_choices_capacity_in_range')),
    sa.CheckConstraint('id = 1', name=op.f('ck_booking_choices_single_row')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_booking_choices'))
    )
    op.create_table('special_days',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('date', sa.Date(), nullable=False),
    sa.Column('closed', sa.Boolean(), nullable=False),
    sa.Column('times', sqlmodel.sql.sqltypes.AutoString(length=300), nullable=False),
    sa.Column('capacity', sa.Integer(), nullable=True),
    sa.Column('reason', sqlmodel.sql.sqltypes.AutoString(length=200), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint('capacity BETWEEN 1 AND 50', name=op.f('ck_special_days_capacity_in_range')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_special_days')),
    sa.UniqueConstraint('date', name=op.f('uq_special_days_date'))
    )
    op.create_table('booking_notes',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('booking_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('text', sqlmodel.sql.sqltypes.AutoString(length=2000), nullable=False),
    sa.ForeignKeyConstraint(['booking_id'], ['bookings.id'], name=op.f('fk_booking_notes_booking_id_bookings')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_booking_notes'))
    )
    with op.batch_alter_table('booking_notes', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_booking_notes_booking_id'), ['booking_id'], unique=False)

    # Defaults of the columns serve the rows that exist; the code always names a value.
    with op.batch_alter_table('blackouts', schema=None) as batch_op:
        batch_op.add_column(sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), server_default='', nullable=False))

    _allow_changes(NEW_CHANGES)
    with op.batch_alter_table('booking_events', schema=None) as batch_op:
        batch_op.alter_column('actor',
               existing_type=sqlmodel.sql.sqltypes.AutoString(length=120),
               type_=sqlmodel.sql.sqltypes.AutoString(length=254),
               existing_nullable=False)

    with op.batch_alter_table('bookings', schema=None) as batch_op:
        batch_op.add_column(sa.Column('search', sa.Text(), server_default='', nullable=False))
        batch_op.add_column(sa.Column('version', sa.Integer(), server_default='1', nullable=False))
    _fill_search()
    with op.batch_alter_table('bookings', schema=None) as batch_op:
        batch_op.create_index('ix_bookings_created_listed', ['created_at', 'id'], unique=False)
        batch_op.create_index('ix_bookings_listed', ['starts_at', 'id', 'search'], unique=False)
        batch_op.create_index('ix_bookings_state_listed', ['state', 'starts_at', 'id'], unique=False)
    _index_trigrams()


def _allow_changes(names: tuple[str, ...]) -> None:
    """Limit the event log's kinds of change to that list."""
    allowed = ', '.join(f"'{name}'" for name in names)
    with op.batch_alter_table('booking_events', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_booking_events_what'), type_='check')
        batch_op.create_check_constraint(batch_op.f('ck_booking_events_what'), sa.text(f'what IN ({allowed})'))


def _fill_search() -> None:
    """What `booking.records.search_of` writes, for the bookings that exist."""
    connection, last = op.get_bind(), 0
    fill = sa.update(BOOKINGS).where(BOOKINGS.c.id == sa.bindparam('row')).values(search=sa.bindparam('words'))
    some = sa.select(BOOKINGS).where(BOOKINGS.c.id > sa.bindparam('last')).order_by(BOOKINGS.c.id).limit(AT_A_TIME)
    while rows := connection.execute(some, {'last': last}).all():
        last = rows[-1].id
        connection.execute(fill, [
            {'row': row.id, 'words': search_text(row.reference, row.fullname, row.email, row.phone)[:600]}
            for row in rows
        ])


def _index_trigrams() -> None:
    """Where PostgreSQL lets us have the extension, searching uses an index; elsewhere it reads all rows."""
    connection = op.get_bind()
    if connection.dialect.name != 'postgresql':
        return
    try:
        with connection.begin_nested():
            connection.execute(sa.text('CREATE EXTENSION IF NOT EXISTS pg_trgm'))
            connection.execute(sa.text(f'CREATE INDEX {TRIGRAMS} ON bookings USING gin (search gin_trgm_ops)'))
    except DBAPIError:
        # Not installed, or only a superuser may. Searching works without.
        pass


def downgrade() -> None:
    if op.get_bind().dialect.name == 'postgresql':
        op.execute(f'DROP INDEX IF EXISTS {TRIGRAMS}')
    with op.batch_alter_table('bookings', schema=None) as batch_op:
        batch_op.drop_index('ix_bookings_state_listed')
        batch_op.drop_index('ix_bookings_listed')
        batch_op.drop_index('ix_bookings_created_listed')
        batch_op.drop_column('version')
        batch_op.drop_column('search')

    # The earlier event log had no such changes; a reinstated booking reads as booked again.
    op.execute("UPDATE booking_events SET what = 'booked' WHERE what = 'restored'")
    op.execute("DELETE FROM booking_events WHERE what IN ('corrected', 'erased')")
    op.execute("UPDATE booking_events SET actor = substr(actor, 1, 120) WHERE length(actor) > 120")
    _allow_changes(OLD_CHANGES)
    with op.batch_alter_table('booking_events', schema=None) as batch_op:
        batch_op.alter_column('actor',
               existing_type=sqlmodel.sql.sqltypes.AutoString(length=254),
               type_=sqlmodel.sql.sqltypes.AutoString(length=120),
               existing_nullable=False)

    with op.batch_alter_table('blackouts', schema=None) as batch_op:
        batch_op.drop_column('author')

    with op.batch_alter_table('booking_notes', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_booking_notes_booking_id'))

    op.drop_table('booking_notes')
    op.drop_table('special_days')
    op.drop_table('booking_choices')
