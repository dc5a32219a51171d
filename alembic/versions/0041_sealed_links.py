"""The site's own addresses in sent messages are encrypted with the secret key.

Queued messages stay as they are: servers of the release before may still send them.

Revision: 0041, after 0040
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from agency_site.mail.sealed_columns import SealedFiles, SealedJson

revision = '0041'
down_revision = '0040'
branch_labels = None
depends_on = None

BATCH = 500
PLAIN = sa.table('outbox_messages', sa.column('id', sa.Integer), sa.column('state', sa.String),
                 *(sa.column(name, sa.JSON) for name in ('words', 'attachments', 'headers')))
SEALED = sa.table('outbox_messages', sa.column('id', sa.Integer), sa.column('state', sa.String), sa.column('words', SealedJson),
                  sa.column('attachments', SealedFiles), sa.column('headers', SealedJson))


def upgrade() -> None:
    _rewrite(PLAIN, SEALED, PLAIN.c.state != 'queued')


def downgrade() -> None:
    _rewrite(SEALED, PLAIN, sa.true())


def _rewrite(before: Any, after: Any, which: sa.ColumnElement[bool]) -> None:
    if op.get_context().as_sql:
        raise RuntimeError('This migration encrypts rows and cannot be written as SQL.')
    connection, last = op.get_bind(), 0
    while rows := connection.execute(
        sa.select(before.c.id, before.c.words, before.c.attachments, before.c.headers)
        .where(before.c.id > last, which).order_by(before.c.id).limit(BATCH)
    ).all():
        connection.execute(
            after.update().where(after.c.id == sa.bindparam('row')).values(
                words=sa.bindparam('new_words'), attachments=sa.bindparam('new_attachments'), headers=sa.bindparam('new_headers')),
            [{'row': row.id, 'new_words': row.words, 'new_attachments': row.attachments, 'new_headers': row.headers} for row in rows],
        )
        last = rows[-1].id
