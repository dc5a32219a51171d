"""Enquiries, comments and webinar registrations with their event logs; states of subscribers.

Revision: 0008, after 0007
"""

import secrets
import unicodedata

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None

ALPHABET = "23456789ACDEFGHJKMNPQRTVWXY"
REACHABLE = sa.text("email <> ''")
SUBSCRIBERS = sa.table(
    "subscribers", sa.column("id"), sa.column("email"), sa.column("reference"), sa.column("search")
)


def upgrade() -> None:
    op.create_table('comments',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('content_key', sqlmodel.sql.sqltypes.AutoString(length=96), nullable=True),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
    sa.Column('article', sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
    sa.Column('fullname', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('email', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('website', sa.Text(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('state', sa.Enum('pending', 'approved', 'rejected', 'withdrawn', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('token_seed', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('decided_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('decided_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_comments')),
    sa.UniqueConstraint('content_key', name=op.f('uq_comments_content_key')),
    sa.UniqueConstraint('reference', name=op.f('uq_comments_reference')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_comments_token_hash'))
    )
    with op.batch_alter_table('comments', schema=None) as batch_op:
        batch_op.create_index('ix_comments_article_state_created', ['article', 'state', 'created_at', 'id'], unique=False)
        batch_op.create_index('ix_comments_created', ['created_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_comments_search'), ['search'], unique=False)
        batch_op.create_index('ix_comments_state_created', ['state', 'created_at', 'id'], unique=False)

    op.create_table('enquiries',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('content_key', sqlmodel.sql.sqltypes.AutoString(length=96), nullable=True),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
    sa.Column('kind', sa.Enum('message', 'signup', name='kind', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('state', sa.Enum('new', 'answered', 'closed', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('fullname', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('email', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('phone', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
    sa.Column('subject', sqlmodel.sql.sqltypes.AutoString(length=160), nullable=False),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('message', sa.Text(), nullable=False),
    sa.Column('details', sa.JSON(), nullable=False),
    sa.Column('thread', sqlmodel.sql.sqltypes.AutoString(length=255), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_enquiries')),
    sa.UniqueConstraint('content_key', name=op.f('uq_enquiries_content_key')),
    sa.UniqueConstraint('reference', name=op.f('uq_enquiries_reference'))
    )
    with op.batch_alter_table('enquiries', schema=None) as batch_op:
        batch_op.create_index('ix_enquiries_created', ['created_at', 'id'], unique=False)
        batch_op.create_index('ix_enquiries_kind_created', ['kind', 'created_at', 'id'], unique=False)
        batch_op.create_index('ix_enquiries_kind_state_created', ['kind', 'state', 'created_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_enquiries_search'), ['search'], unique=False)

    op.create_table('webinar_registrations',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
    sa.Column('webinar', sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
    sa.Column('fullname', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('email', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('phone', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
    sa.Column('state', sa.Enum('registered', 'cancelled', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('token_seed', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('cancelled_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('cancelled_by', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_webinar_registrations')),
    sa.UniqueConstraint('reference', name=op.f('uq_webinar_registrations_reference')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_webinar_registrations_token_hash'))
    )
    with op.batch_alter_table('webinar_registrations', schema=None) as batch_op:
        batch_op.create_index('ix_webinar_registrations_created', ['created_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_webinar_registrations_search'), ['search'], unique=False)
        batch_op.create_index('ix_webinar_registrations_webinar_state_created', ['webinar', 'state', 'created_at', 'id'], unique=False)
        batch_op.create_index('uq_webinar_registrations_person', ['webinar', 'email'], unique=True, sqlite_where=REACHABLE, postgresql_where=REACHABLE)

    op.create_table('comment_events',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('comment_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('what', sa.Enum('received', 'approved', 'rejected', 'withdrawn', 'erased', name='what', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('before', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('after', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('note', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['comment_id'], ['comments.id'], name=op.f('fk_comment_events_comment_id_comments')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_comment_events'))
    )
    with op.batch_alter_table('comment_events', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_comment_events_comment_id'), ['comment_id'], unique=False)

    op.create_table('enquiry_events',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('enquiry_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('what', sa.Enum('received', 'replied', 'answered', 'closed', 'reopened', 'noted', 'erased', name='what', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('before', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('after', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('note', sa.Text(), nullable=False),
    sa.Column('reply', sa.Text(), nullable=False),
    sa.Column('message_id', sqlmodel.sql.sqltypes.AutoString(length=255), nullable=False),
    sa.ForeignKeyConstraint(['enquiry_id'], ['enquiries.id'], name=op.f('fk_enquiry_events_enquiry_id_enquiries')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_enquiry_events'))
    )
    with op.batch_alter_table('enquiry_events', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_enquiry_events_enquiry_id'), ['enquiry_id'], unique=False)

    op.create_table('subscriber_events',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('subscriber_id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('what', sa.Enum('subscribed', 'chose', 'unsubscribed', 'erased', name='what', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('note', sa.Text(), nullable=False),
    sa.ForeignKeyConstraint(['subscriber_id'], ['subscribers.id'], name=op.f('fk_subscriber_events_subscriber_id_subscribers')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_subscriber_events'))
    )
    with op.batch_alter_table('subscriber_events', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_subscriber_events_subscriber_id'), ['subscriber_id'], unique=False)

    _upgrade_subscribers()


def _upgrade_subscribers() -> None:
    """Whoever subscribed before is subscribed, under a reference of their own."""
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        batch_op.add_column(sa.Column('version', sa.Integer(), server_default='1', nullable=False))
        batch_op.add_column(sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=True))
        batch_op.add_column(sa.Column('state', sa.String(length=24), server_default='subscribed', nullable=False))
        batch_op.add_column(sa.Column('unsubscribed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('search', sa.Text(), server_default='', nullable=False))

    _name_subscribers()
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        batch_op.alter_column('version', existing_type=sa.Integer(), server_default=None)
        batch_op.alter_column('reference', existing_type=sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False)
        batch_op.alter_column('state', existing_type=sa.String(length=24), server_default=None)
        batch_op.alter_column('search', existing_type=sa.Text(), server_default=None)
        batch_op.drop_constraint(batch_op.f('uq_subscribers_email'), type_='unique')
        batch_op.create_unique_constraint(batch_op.f('uq_subscribers_reference'), ['reference'])
        batch_op.create_check_constraint(batch_op.f('ck_subscribers_state'), "state IN ('subscribed', 'unsubscribed')")
        batch_op.create_index('ix_subscribers_created', ['created_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_subscribers_search'), ['search'], unique=False)
        batch_op.create_index('ix_subscribers_state_created', ['state', 'created_at', 'id'], unique=False)
        batch_op.create_index('uq_subscribers_address', ['email'], unique=True, sqlite_where=REACHABLE, postgresql_where=REACHABLE)


def _name_subscribers() -> None:
    connection = op.get_bind()
    known = connection.execute(sa.select(SUBSCRIBERS.c.id, SUBSCRIBERS.c.email)).all()
    references: set[str] = set()
    while len(references) < len(known):
        references.add("NL-" + "".join(secrets.choice(ALPHABET) for _ in range(6)))
    rows = [
        {"row": identity, "reference": reference, "search": _folded(f"{reference} {email}")}
        for (identity, email), reference in zip(known, references)
    ]
    if rows:
        named = sa.update(SUBSCRIBERS).where(SUBSCRIBERS.c.id == sa.bindparam("row"))
        values = {"reference": sa.bindparam("reference"), "search": sa.bindparam("search")}
        connection.execute(named.values(values), rows)


def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in apart if not unicodedata.combining(char))[:600]


def downgrade() -> None:
    # Erased subscribers have no address; before there was one for each row.
    op.execute("UPDATE subscribers SET email = 'erased-' || id WHERE email = ''")
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('uq_subscribers_reference'), type_='unique')
        batch_op.drop_constraint(batch_op.f('ck_subscribers_state'), type_='check')
        batch_op.drop_index('uq_subscribers_address', sqlite_where=REACHABLE, postgresql_where=REACHABLE)
        batch_op.drop_index('ix_subscribers_state_created')
        batch_op.drop_index(batch_op.f('ix_subscribers_search'))
        batch_op.drop_index('ix_subscribers_created')
        batch_op.create_unique_constraint(batch_op.f('uq_subscribers_email'), ['email'])
        batch_op.drop_column('search')
        batch_op.drop_column('unsubscribed_at')
        batch_op.drop_column('state')
        batch_op.drop_column('reference')
        batch_op.drop_column('version')

    with op.batch_alter_table('subscriber_events', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_subscriber_events_subscriber_id'))

    op.drop_table('subscriber_events')
    with op.batch_alter_table('enquiry_events', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_enquiry_events_enquiry_id'))

    op.drop_table('enquiry_events')
    with op.batch_alter_table('comment_events', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_comment_events_comment_id'))

    op.drop_table('comment_events')
    with op.batch_alter_table('webinar_registrations', schema=None) as batch_op:
        batch_op.drop_index('uq_webinar_registrations_person', sqlite_where=REACHABLE, postgresql_where=REACHABLE)
        batch_op.drop_index('ix_webinar_registrations_webinar_state_created')
        batch_op.drop_index(batch_op.f('ix_webinar_registrations_search'))
        batch_op.drop_index('ix_webinar_registrations_created')

    op.drop_table('webinar_registrations')
    with op.batch_alter_table('enquiries', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_enquiries_search'))
        batch_op.drop_index('ix_enquiries_kind_state_created')
        batch_op.drop_index('ix_enquiries_kind_created')
        batch_op.drop_index('ix_enquiries_created')

    op.drop_table('enquiries')
    with op.batch_alter_table('comments', schema=None) as batch_op:
        batch_op.drop_index('ix_comments_state_created')
        batch_op.drop_index(batch_op.f('ix_comments_search'))
        batch_op.drop_index('ix_comments_created')
        batch_op.drop_index('ix_comments_article_state_created')

    op.drop_table('comments')
