"""Facts of an entry that are not in its document: whether it is hidden, its addresses; former descriptions of pictures.

Revision: 0004, after 0003
"""

import sqlalchemy as sa
from alembic import op

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None

_ENTRIES = sa.table(
    'content_entries',
    sa.column('id', sa.Integer()),
    sa.column('document', sa.JSON()),
    sa.column('published_document', sa.JSON()),
    sa.column('addresses', sa.JSON()),
)


def upgrade() -> None:
    op.add_column('content_entries', sa.Column('is_hidden', sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column('content_entries', sa.Column('addresses', sa.JSON(), server_default='{}', nullable=False))
    op.add_column('content_entries', sa.Column('preview_number', sa.Integer(), server_default='0', nullable=False))
    op.add_column('content_entries', sa.Column('problem', sa.Text(), server_default='', nullable=False))
    op.add_column('pictures', sa.Column('former_alts', sa.JSON(), server_default='[]', nullable=False))
    op.execute("UPDATE content_entries SET is_hidden = true WHERE state = 'hidden'")
    if not op.get_context().as_sql:
        _move_addresses()


def _move_addresses() -> None:
    """Copy the addresses that were in the documents."""
    connection = op.get_bind()
    for entry in connection.execute(sa.select(_ENTRIES)).all():
        documents = (entry.document or {}, entry.published_document or {})
        former = '\n'.join(document.get('former_addresses', '') for document in documents).split()
        addresses = dict.fromkeys([*former, documents[1].get('address', '')], '')
        addresses.pop('', None)
        if addresses:
            connection.execute(sa.update(_ENTRIES).where(_ENTRIES.c.id == entry.id).values(addresses=addresses))


def downgrade() -> None:
    # Without the column a hidden entry that is scheduled would be shown at once.
    op.execute("UPDATE content_entries SET state = 'hidden', publish_at = NULL WHERE is_hidden")
    op.drop_column('pictures', 'former_alts')
    op.drop_column('content_entries', 'problem')
    op.drop_column('content_entries', 'preview_number')
    op.drop_column('content_entries', 'addresses')
    op.drop_column('content_entries', 'is_hidden')
