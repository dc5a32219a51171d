"""Confirmed bookings that overlap cannot share a seat, however the list of slots has changed between them.

Revision: 0016, after 0015
"""

from collections import defaultdict
from datetime import date, timedelta
from itertools import count
from typing import Any

import sqlalchemy as sa
from alembic import op


revision = '0016'
down_revision = '0015'
branch_labels = None
depends_on = None

MINUTES = 30
"""The length of a consultation until now."""
BOOKINGS = sa.table(
    'bookings', sa.column('id', sa.Integer()), sa.column('state', sa.String()), sa.column('seat', sa.Integer()),
    sa.column('starts_at', sa.DateTime(timezone=True)),
)
# Each seat has a stretch of the line of whole numbers: a range needs no extension, which an owner of the database may
# not be allowed to create, as `btree_gist` for a seat beside a period would.
FIRST_SECOND = "seat * 100000000000 + extract(epoch from starts_at at time zone 'UTC')::bigint"
EXCLUSION = (
    "ALTER TABLE bookings ADD CONSTRAINT ex_bookings_seat_overlap EXCLUDE USING gist "
    f"(int8range({FIRST_SECOND}, {FIRST_SECOND} + minutes * 60) WITH &&) WHERE (state = 'confirmed')"
)
TRIGGER = """
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
EVENTS = {'insert': 'INSERT', 'update': 'UPDATE OF state, seat, starts_at, minutes'}


def upgrade() -> None:
    with op.batch_alter_table('bookings', schema=None) as batch_op:
        batch_op.add_column(sa.Column('minutes', sa.Integer(), server_default=str(MINUTES), nullable=False))
    with op.batch_alter_table('bookings', schema=None) as batch_op:
        batch_op.alter_column('minutes', existing_type=sa.Integer(), server_default=None)
        batch_op.create_check_constraint(batch_op.f('ck_bookings_minutes_within_a_day'), 'minutes BETWEEN 1 AND 1440')
    _separate_overlaps()
    if op.get_bind().dialect.name == 'postgresql':
        op.execute(EXCLUSION)
        return
    for name, event in EVENTS.items():
        op.execute(TRIGGER.format(name=name, event=event))


def _separate_overlaps() -> None:
    """The later of two bookings that overlap on one seat gets another: staff see it where seats are beyond the capacity."""
    connection = op.get_bind()
    query = sa.select(BOOKINGS).where(BOOKINGS.c.state == 'confirmed').order_by(BOOKINGS.c.starts_at, BOOKINGS.c.id)
    days: defaultdict[date, list[Any]] = defaultdict(list)
    for row in connection.execute(query):
        days[row.starts_at.date()].append(row)
    for rows in days.values():
        seats = {row.id: row.seat for row in rows}
        for number, row in enumerate(rows):
            near = [one for one in rows if one.id != row.id and abs(one.starts_at - row.starts_at) < timedelta(minutes=MINUTES)]
            if any(seats[one.id] == row.seat for one in near if one in rows[:number]):
                taken = {seats[one.id] for one in near}
                seats[row.id] = next(seat for seat in count() if seat not in taken)
                connection.execute(sa.update(BOOKINGS).where(BOOKINGS.c.id == row.id).values(seat=seats[row.id]))


def downgrade() -> None:
    if op.get_bind().dialect.name == 'postgresql':
        op.execute('ALTER TABLE bookings DROP CONSTRAINT ex_bookings_seat_overlap')
    else:
        for name in EVENTS:
            op.execute(f'DROP TRIGGER ex_bookings_seat_overlap_{name}')
    with op.batch_alter_table('bookings', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('ck_bookings_minutes_within_a_day'), type_='check')
        batch_op.drop_column('minutes')
