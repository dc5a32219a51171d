"""Learners, one for each place of an enrolment; sessions have an entry in calendars, and reminders.

Revision: 0021, after 0020
"""

import hashlib
import secrets
import unicodedata
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0021'
down_revision = '0020'
branch_labels = None
depends_on = None

ALPHABET = '23456789ACDEFGHJKMNPQRTVWXY'
BATCH = 500
LEARNERS = sa.table(
    'learners',
    *(
        sa.column(name)
        for name in ('version', 'enrolment_id', 'number', 'reference', 'fullname', 'email', 'token_seed', 'token_hash', 'search')
    ),
    *(sa.column(name, sa.DateTime(timezone=True)) for name in ('created_at', 'updated_at')),
)


def upgrade() -> None:
    op.create_table('learners',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('enrolment_id', sa.Integer(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
    sa.Column('fullname', sqlmodel.sql.sqltypes.AutoString(length=161), nullable=False),
    sa.Column('email', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('token_seed', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.CheckConstraint("(fullname = '') = (email = '')", name=op.f('ck_learners_named_in_full')),
    sa.CheckConstraint('number >= 1', name=op.f('ck_learners_number_positive')),
    sa.ForeignKeyConstraint(['enrolment_id'], ['enrolments.id'], name=op.f('fk_learners_enrolment_id_enrolments')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_learners')),
    sa.UniqueConstraint('enrolment_id', 'number', name=op.f('uq_learners_enrolment_id_number')),
    sa.UniqueConstraint('reference', name=op.f('uq_learners_reference')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_learners_token_hash'))
    )
    with op.batch_alter_table('learners', schema=None) as batch_op:
        batch_op.create_index('ix_learners_email', ['email'], unique=False)
    _name_buyers()

    with op.batch_alter_table('course_sessions', schema=None) as batch_op:
        batch_op.add_column(sa.Column('due_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('leased_until', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True))
        batch_op.add_column(sa.Column('sequence', sa.Integer(), nullable=False, server_default='0'))
        batch_op.add_column(sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    _enter_sessions()
    with op.batch_alter_table('course_sessions', schema=None) as batch_op:
        batch_op.alter_column('reference', existing_type=sa.String(length=12), nullable=False)
        batch_op.alter_column('sequence', existing_type=sa.Integer(), existing_nullable=False, server_default=None)
        batch_op.alter_column('created_at', existing_type=sa.DateTime(timezone=True), nullable=False)
        batch_op.alter_column('updated_at', existing_type=sa.DateTime(timezone=True), nullable=False)
        batch_op.create_unique_constraint(batch_op.f('uq_course_sessions_reference'), ['reference'])
        batch_op.create_index(batch_op.f('ix_course_sessions_due_at'), ['due_at'], unique=False)


def _name_buyers() -> None:
    """Whoever has bought has the first place of the enrolment, as in those that follow; the others are not named yet."""
    connection, last, taken = op.get_bind(), 0, set()
    some = sa.text(
        'SELECT e.id, e.places, o.first_name, o.last_name, o.email FROM enrolments e JOIN orders o ON o.id = e.order_id '
        'WHERE e.id > :last ORDER BY e.id LIMIT :batch'
    )
    while found := connection.execute(some, {'last': last, 'batch': BATCH}).all():
        last = found[-1].id
        rows = [_learner(one, number, taken) for one in found for number in range(1, one.places + 1)]
        connection.execute(sa.insert(LEARNERS), rows)


def _learner(enrolment: sa.Row, number: int, taken: set[str]) -> dict[str, object]:
    name = f'{enrolment.first_name} {enrolment.last_name}'.strip()
    named = number == 1 and name != '' and enrolment.email != ''
    name, email = (name, enrolment.email) if named else ('', '')
    reference, moment = _new_reference('LN', taken), datetime.now(UTC)
    return {
        'version': 1, 'enrolment_id': enrolment.id, 'number': number, 'reference': reference, 'fullname': name, 'email': email,
        # The first mail with the link makes a token: its hash is of a random text until then.
        'token_seed': secrets.token_urlsafe(24), 'token_hash': hashlib.sha256(secrets.token_bytes(32)).hexdigest(),
        'search': _fold(f'{reference} {email} {name}')[:600], 'created_at': moment, 'updated_at': moment,
    }


def _new_reference(prefix: str, taken: set[str]) -> str:
    while (reference := f'{prefix}-' + ''.join(secrets.choice(ALPHABET) for _ in range(6))) in taken:
        pass
    taken.add(reference)
    return reference


def _fold(text: str) -> str:
    apart = unicodedata.normalize('NFKD', text.casefold())
    return ' '.join(''.join(char for char in apart if not unicodedata.combining(char)).split())


def _enter_sessions() -> None:
    """Entries in calendars, and when the next reminder is due."""
    connection, taken, moment = op.get_bind(), set(), datetime.now(UTC)
    moments = [sa.column(name, sqlmodel.sql.sqltypes.UTCDateTime()) for name in ('starts_at', 'due_at')]
    sessions = sa.table('course_sessions', sa.column('id'), sa.column('reference'), *moments)
    op.execute(
        'UPDATE course_sessions SET '
        'created_at = (SELECT created_at FROM course_runs WHERE course_runs.id = run_id), '
        'updated_at = (SELECT updated_at FROM course_runs WHERE course_runs.id = run_id)'
    )
    for row, starts_at in connection.execute(sa.select(sessions.c.id, sessions.c.starts_at)).all():
        reminders = (starts_at - timedelta(days=1), starts_at - timedelta(hours=1))
        values = {
            'reference': _new_reference('CS', taken), 'due_at': next((due for due in reminders if due > moment), None),
        }
        connection.execute(sa.update(sessions).where(sessions.c.id == row).values(**values))


def downgrade() -> None:
    with op.batch_alter_table('course_sessions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_course_sessions_due_at'))
        batch_op.drop_constraint(batch_op.f('uq_course_sessions_reference'), type_='unique')
        for column in ('updated_at', 'created_at', 'sequence', 'reference', 'leased_until', 'due_at'):
            batch_op.drop_column(column)

    with op.batch_alter_table('learners', schema=None) as batch_op:
        batch_op.drop_index('ix_learners_email')

    op.drop_table('learners')
