"""Staff accounts, sessions, one-time links, audit log, saved views.

Revision: 0004, after 0003
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op


revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('audit_entries',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('actor', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('address', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('action', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('kind', sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
    sa.Column('reference', sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
    sa.Column('detail', sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_entries'))
    )
    with op.batch_alter_table('audit_entries', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_audit_entries_action'), ['action'], unique=False)
        batch_op.create_index(batch_op.f('ix_audit_entries_actor'), ['actor'], unique=False)
        batch_op.create_index(batch_op.f('ix_audit_entries_at'), ['at'], unique=False)
        batch_op.create_index('ix_audit_entries_record', ['kind', 'reference'], unique=False)

    op.create_table('office_choices',
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
    sa.Column('value', sa.JSON(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('name', name=op.f('pk_office_choices'))
    )
    op.create_table('staff_accounts',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('email', sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(length=120), nullable=False),
    sa.Column('role', sa.Enum('owner', 'front_desk', 'finance', 'editor', 'viewer', name='role', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('password_hash', sqlmodel.sql.sqltypes.AutoString(length=255), nullable=False),
    sa.Column('disabled_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('totp_seed', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('totp_confirmed_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.Column('totp_step', sa.Integer(), nullable=False),
    sa.Column('calendar_token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('updated_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_accounts')),
    sa.UniqueConstraint('calendar_token_hash', name=op.f('uq_staff_accounts_calendar_token_hash')),
    sa.UniqueConstraint('email', name=op.f('uq_staff_accounts_email'))
    )
    op.create_table('staff_sign_in_attempts',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_key', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('address', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_sign_in_attempts'))
    )
    with op.batch_alter_table('staff_sign_in_attempts', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_staff_sign_in_attempts_address'), ['address'], unique=False)
        batch_op.create_index(batch_op.f('ix_staff_sign_in_attempts_at'), ['at'], unique=False)
        batch_op.create_index('ix_staff_sign_in_attempts_recent', ['account_key', 'address', 'at'], unique=False)

    op.create_table('staff_links',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('purpose', sa.Enum('setup', 'invitation', 'reset', name='purpose', native_enum=False, create_constraint=True, length=24), nullable=False),
    sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('expires_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('used_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_links_account_id_staff_accounts')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_links')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_staff_links_token_hash'))
    )
    with op.batch_alter_table('staff_links', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_staff_links_account_id'), ['account_id'], unique=False)

    op.create_table('staff_recovery_codes',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('code_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('used_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_recovery_codes_account_id_staff_accounts')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_recovery_codes')),
    sa.UniqueConstraint('code_hash', name=op.f('uq_staff_recovery_codes_code_hash'))
    )
    with op.batch_alter_table('staff_recovery_codes', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_staff_recovery_codes_account_id'), ['account_id'], unique=False)

    op.create_table('staff_saved_views',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('listing', sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
    sa.Column('name', sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
    sa.Column('query', sqlmodel.sql.sqltypes.AutoString(length=1000), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_saved_views_account_id_staff_accounts')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_saved_views')),
    sa.UniqueConstraint('account_id', 'listing', 'name', name=op.f('uq_staff_saved_views_account_id_listing_name'))
    )
    with op.batch_alter_table('staff_saved_views', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_staff_saved_views_account_id'), ['account_id'], unique=False)

    op.create_table('staff_sessions',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('token_hash', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('address', sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
    sa.Column('browser', sqlmodel.sql.sqltypes.AutoString(length=200), nullable=False),
    sa.Column('created_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('seen_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
    sa.Column('ended_at', sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['staff_accounts.id'], name=op.f('fk_staff_sessions_account_id_staff_accounts')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_sessions')),
    sa.UniqueConstraint('token_hash', name=op.f('uq_staff_sessions_token_hash'))
    )
    with op.batch_alter_table('staff_sessions', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_staff_sessions_account_id'), ['account_id'], unique=False)

    _append_only()


def _append_only() -> None:
    """The audit log is append-only: no statement changes or removes an entry."""
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_entries_no_{verb.lower()} BEFORE {verb} ON audit_entries "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    )


def downgrade() -> None:
    with op.batch_alter_table('staff_sessions', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_staff_sessions_account_id'))

    op.drop_table('staff_sessions')
    with op.batch_alter_table('staff_saved_views', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_staff_saved_views_account_id'))

    op.drop_table('staff_saved_views')
    with op.batch_alter_table('staff_recovery_codes', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_staff_recovery_codes_account_id'))

    op.drop_table('staff_recovery_codes')
    with op.batch_alter_table('staff_links', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_staff_links_account_id'))

    op.drop_table('staff_links')
    with op.batch_alter_table('staff_sign_in_attempts', schema=None) as batch_op:
        batch_op.drop_index('ix_staff_sign_in_attempts_recent')
        batch_op.drop_index(batch_op.f('ix_staff_sign_in_attempts_at'))
        batch_op.drop_index(batch_op.f('ix_staff_sign_in_attempts_address'))

    op.drop_table('staff_sign_in_attempts')
    op.drop_table('staff_accounts')
    op.drop_table('office_choices')
    with op.batch_alter_table('audit_entries', schema=None) as batch_op:
        batch_op.drop_index('ix_audit_entries_record')
        batch_op.drop_index(batch_op.f('ix_audit_entries_at'))
        batch_op.drop_index(batch_op.f('ix_audit_entries_actor'))
        batch_op.drop_index(batch_op.f('ix_audit_entries_action'))

    op.drop_table('audit_entries')
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_audit_change()")
