"""Text that lists search has no apostrophes, and e-mail addresses are stored with their domain in ASCII.

Revision: 0045, after 0044
"""

import itertools

import idna
import sqlalchemy as sa
from alembic import op


revision = '0045'
down_revision = '0044'
branch_labels = None
depends_on = None

SEARCHED = (
    'outbox_messages', 'bookings', 'webinar_registrations', 'orders', 'enquiries', 'comments', 'course_runs', 'learners',
    'waiting_list_entries', 'subscribers', 'newsletter_issues',
)
APOSTROPHES = "'\u2018\u2019\u201b\u02b9\u02bb\u02bc\u02bd\u02be\u02bf\u02c8\u02ca\u02cb\u2032\u2035\u055a\u05f3\ua78b\ua78c`"
"""As `agency_site.characters`, without those that were folded to others."""
INVISIBLE = '\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\ufe0e\ufe0f'
NOT_ASCII = {
    'sqlite': 'length(CAST({0} AS BLOB)) <> length({0})',
    'postgresql': 'octet_length({0}) <> char_length({0})',
}
SUBSCRIBERS = sa.table('subscribers', *map(sa.column, ('id', 'reference', 'email', 'state', 'unsubscribed_at', 'search')))
MESSAGES = sa.table('outbox_messages', sa.column('id'), sa.column('to'))


def upgrade() -> None:
    removed = APOSTROPHES + INVISIBLE
    # SQLite parses no expression of much more than twenty levels.
    for table, first in itertools.product(SEARCHED, range(0, len(removed), 10)):
        folded = sa.column('search')
        for char in removed[first : first + 10]:
            folded = sa.func.replace(folded, char, '')
        rows = sa.table(table, sa.column('search'))
        op.execute(rows.update().where(rows.c.search != folded).values(search=folded))
    if not op.get_context().as_sql:
        _rewrite_subscribers(op.get_bind())
        _rewrite_messages(op.get_bind())


def downgrade() -> None:
    """Nothing: the release before reads both forms."""


def _rewrite_subscribers(connection: sa.Connection) -> None:
    table = SUBSCRIBERS.c
    for row in connection.execute(sa.select(SUBSCRIBERS).where(_is_not_ascii(connection, 'email'))).all():
        address = _ascii_address(row.email)
        if address == row.email:
            continue
        twin = connection.execute(sa.select(SUBSCRIBERS).where(table.email == address)).one_or_none()
        values = {'email': address, 'search': f'{row.search} {address}'}
        if twin is not None:
            # The address was subscribed in both spellings: one row stays, and it has left if either has.
            values = {'email': '', 'search': row.reference.lower(), 'state': 'unsubscribed'}
            if row.state == 'unsubscribed' != twin.state:
                left = {'state': 'unsubscribed', 'unsubscribed_at': row.unsubscribed_at}
                connection.execute(SUBSCRIBERS.update().where(table.id == twin.id).values(left))
        connection.execute(SUBSCRIBERS.update().where(table.id == row.id).values(values))


def _rewrite_messages(connection: sa.Connection) -> None:
    for row in connection.execute(sa.select(MESSAGES).where(_is_not_ascii(connection, '"to"'))).all():
        address = _ascii_address(row.to)
        if address != row.to:
            connection.execute(MESSAGES.update().where(MESSAGES.c.id == row.id).values(to=address))


def _is_not_ascii(connection: sa.Connection, column: str) -> sa.TextClause:
    return sa.text(NOT_ASCII[connection.dialect.name].format(column))


def _ascii_address(address: str) -> str:
    """The address with its domain in ASCII; an address whose first part is not in ASCII stays, for no server takes it."""
    local, _, domain = address.rpartition('@')
    try:
        return f'{local}@{idna.encode(domain, uts46=True).decode()}' if local.isascii() and local else address
    except (UnicodeError, ValueError):
        return address
