"""Newsletter: double opt-in, a suppression list, and issues that staff write.

Revision: 0010, after 0009
"""

import secrets

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0010'
down_revision = '0009'
branch_labels = None
depends_on = None

OLD_STATES = ('subscribed', 'unsubscribed')
NEW_STATES = ('pending', *OLD_STATES)
OLD_STEPS = ('subscribed', 'chose', 'unsubscribed', 'erased')
NEW_STEPS = ('subscribed', 'chose', 'confirmed', 'unsubscribed', 'erased')
SUBSCRIBERS = sa.table('subscribers', sa.column('id', sa.Integer()), sa.column('token_seed', sa.String()))


def upgrade() -> None:
    op.create_table('newsletter_suppressions',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('address_key', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('since', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_suppressions')),
    sa.UniqueConstraint('address_key', name=op.f('uq_newsletter_suppressions_address_key'))
    )
    op.create_table('outbox_letters',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('html', sa.Text(), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_outbox_letters'))
    )
    op.create_table('newsletter_issues',
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
    sa.Column('number', sa.Integer(), nullable=True),
    sa.Column('slug', sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
    sa.Column('title', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('summary', sqlmodel.sql.sqltypes.AutoString(length=300), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('interests', sa.JSON(), nullable=False),
    sa.Column('state', sa.Enum('draft', 'scheduled', 'sending', 'sent', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('scheduled_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('started_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('sent_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('due_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('letter_id', sa.Integer(), nullable=True),
    sa.Column('last_subscriber', sa.Integer(), nullable=False),
    sa.Column('audience', sa.Integer(), nullable=False),
    sa.Column('looked_at', sa.Integer(), nullable=False),
    sa.Column('handed', sa.Integer(), nullable=False),
    sa.Column('refused', sa.Integer(), nullable=False),
    sa.Column('author', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('editor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('search', sa.Text(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.ForeignKeyConstraint(['letter_id'], ['outbox_letters.id'], name=op.f('fk_newsletter_issues_letter_id_outbox_letters')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_issues')),
    sa.UniqueConstraint('number', name=op.f('uq_newsletter_issues_number')),
    sa.UniqueConstraint('reference', name=op.f('uq_newsletter_issues_reference')),
    sa.UniqueConstraint('slug', name=op.f('uq_newsletter_issues_slug'))
    )
    with op.batch_alter_table('newsletter_issues', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_newsletter_issues_scheduled_at'), ['scheduled_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_newsletter_issues_search'), ['search'], unique=False)
        batch_op.create_index(batch_op.f('ix_newsletter_issues_sent_at'), ['sent_at'], unique=False)
        batch_op.create_index('ix_newsletter_issues_state_due', ['state', 'due_at'], unique=False)
        batch_op.create_index('ix_newsletter_issues_updated', ['updated_at', 'id'], unique=False)

    op.create_table('newsletter_opt_ins',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('subscriber_id', sa.Integer(), nullable=False),
    sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('interests', sa.JSON(), nullable=True),
    sa.Column('consent_text', sa.Text(), nullable=False),
    sa.Column('ticked_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('address', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('source', sqlmodel.sql.sqltypes.AutoString(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('confirmed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('confirmed_from', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('void_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.ForeignKeyConstraint(['subscriber_id'], ['subscribers.id'], name=op.f('fk_newsletter_opt_ins_subscriber_id_subscribers')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_opt_ins')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_newsletter_opt_ins_token_hash'))
    )
    with op.batch_alter_table('newsletter_opt_ins', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_newsletter_opt_ins_subscriber_id'), ['subscriber_id'], unique=False)

    op.create_table('newsletter_deliveries',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('issue_id', sa.Integer(), nullable=False),
    sa.Column('subscriber_id', sa.Integer(), nullable=False),
    sa.Column('state', sa.Enum('handed', 'refused', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.ForeignKeyConstraint(['issue_id'], ['newsletter_issues.id'], name=op.f('fk_newsletter_deliveries_issue_id_newsletter_issues')),
    sa.ForeignKeyConstraint(['subscriber_id'], ['subscribers.id'], name=op.f('fk_newsletter_deliveries_subscriber_id_subscribers')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_newsletter_deliveries')),
    sa.UniqueConstraint('issue_id', 'subscriber_id', name=op.f('uq_newsletter_deliveries_issue_id_subscriber_id'))
    )
    with op.batch_alter_table('newsletter_deliveries', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_newsletter_deliveries_subscriber_id'), ['subscriber_id'], unique=False)

    with op.batch_alter_table('outbox_messages', schema=None) as batch_op:
        batch_op.add_column(sa.Column('letter_id', sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f('ix_outbox_messages_letter_id'), ['letter_id'], unique=False)
        batch_op.create_foreign_key(batch_op.f('fk_outbox_messages_letter_id_outbox_letters'), 'outbox_letters', ['letter_id'], ['id'])

    # Existing subscribers count as confirmed and keep their state.
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        batch_op.add_column(sa.Column('confirmed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
        batch_op.add_column(sa.Column('token_seed', sqlmodel.sql.sqltypes.AutoString(length=64), server_default='', nullable=False))
        batch_op.add_column(sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True))
    _seed_tokens()
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        batch_op.alter_column('token_seed', existing_type=sa.String(length=64), server_default=None)
        batch_op.create_index('ix_subscribers_state_id', ['state', 'id'], unique=False)
        batch_op.create_unique_constraint(batch_op.f('uq_subscribers_token_hash'), ['token_hash'])
    _restate('subscribers', 'state', NEW_STATES)
    _restate('subscriber_events', 'what', NEW_STEPS)


def _restate(table: str, column: str, members: tuple[str, ...]) -> None:
    """Limit a column to that list."""
    listed = ', '.join(f"'{member}'" for member in members)
    with op.batch_alter_table(table, schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f(f'ck_{table}_{column}'), type_='check')
        batch_op.create_check_constraint(batch_op.f(f'ck_{table}_{column}'), sa.text(f'{column} IN ({listed})'))


def _seed_tokens() -> None:
    """Each subscriber's private link is made from a seed; its hash is stored with the first mail that contains it."""
    connection, last = op.get_bind(), 0
    fill = sa.update(SUBSCRIBERS).where(SUBSCRIBERS.c.id == sa.bindparam('row')).values(token_seed=sa.bindparam('seed'))
    some = sa.select(SUBSCRIBERS.c.id).where(SUBSCRIBERS.c.id > sa.bindparam('last')).order_by(SUBSCRIBERS.c.id).limit(1000)
    while rows := connection.execute(some, {'last': last}).all():
        last = rows[-1].id
        connection.execute(fill, [{'row': row.id, 'seed': secrets.token_urlsafe(24)} for row in rows])


def downgrade() -> None:
    """Unconfirmed subscribers get no issues; requests and sends are dropped."""
    op.execute("UPDATE subscribers SET state = 'unsubscribed' WHERE state = 'pending'")
    op.execute("UPDATE subscriber_events SET what = 'subscribed' WHERE what = 'confirmed'")
    _restate('subscriber_events', 'what', OLD_STEPS)
    _restate('subscribers', 'state', OLD_STATES)
    with op.batch_alter_table('subscribers', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('uq_subscribers_token_hash'), type_='unique')
        batch_op.drop_index('ix_subscribers_state_id')
        batch_op.drop_column('token_hash')
        batch_op.drop_column('token_seed')
        batch_op.drop_column('confirmed_at')

    with op.batch_alter_table('outbox_messages', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_outbox_messages_letter_id_outbox_letters'), type_='foreignkey')
        batch_op.drop_index(batch_op.f('ix_outbox_messages_letter_id'))
        batch_op.drop_column('letter_id')

    with op.batch_alter_table('newsletter_deliveries', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_newsletter_deliveries_subscriber_id'))

    op.drop_table('newsletter_deliveries')
    with op.batch_alter_table('newsletter_opt_ins', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_newsletter_opt_ins_subscriber_id'))

    op.drop_table('newsletter_opt_ins')
    with op.batch_alter_table('newsletter_issues', schema=None) as batch_op:
        batch_op.drop_index('ix_newsletter_issues_updated')
        batch_op.drop_index('ix_newsletter_issues_state_due')
        batch_op.drop_index(batch_op.f('ix_newsletter_issues_sent_at'))
        batch_op.drop_index(batch_op.f('ix_newsletter_issues_search'))
        batch_op.drop_index(batch_op.f('ix_newsletter_issues_scheduled_at'))

    op.drop_table('newsletter_issues')
    op.drop_table('outbox_letters')
    op.drop_table('newsletter_suppressions')
