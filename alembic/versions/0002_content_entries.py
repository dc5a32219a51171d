"""Entries that staff publish, pictures, and what people know about a webinar.

Revision: 0002, after 0001
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = '0002'
down_revision = '0001'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('content_entries',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.Enum('article', 'insight', 'webinar', 'course', 'team_member', 'testimonial', 'partner', 'project', 'plan', 'announcement', 'hours', 'mail_text', name='kind', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('slug', AutoString(length=80), nullable=False),
        sa.Column('title', AutoString(length=200), nullable=False),
        sa.Column('state', sa.Enum('draft', 'scheduled', 'published', 'hidden', name='state', native_enum=False, create_constraint=True, length=24), nullable=False),
        sa.Column('document', sa.JSON(), nullable=False),
        sa.Column('published_document', sa.JSON(), nullable=True),
        sa.Column('publish_at', UTCDateTime(), nullable=True),
        sa.Column('editor', AutoString(length=254), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.Column('published_at', UTCDateTime(), nullable=True),
        sa.CheckConstraint("(state = 'scheduled') = (publish_at IS NOT NULL)", name=op.f('ck_content_entries_scheduled_at')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_content_entries')),
        sa.UniqueConstraint('kind', 'slug', name=op.f('uq_content_entries_kind_slug'))
    )
    op.create_index('ix_content_entries_kind_updated', 'content_entries', ['kind', 'updated_at', 'id'])
    op.create_index(op.f('ix_content_entries_publish_at'), 'content_entries', ['publish_at'])
    op.create_index('ix_content_entries_searched', 'content_entries', ['kind', 'created_at', 'id', 'search'])
    op.create_table('pictures',
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('digest', AutoString(length=16), nullable=False),
        sa.Column('name', AutoString(length=120), nullable=False),
        sa.Column('suffix', AutoString(length=4), nullable=False),
        sa.Column('width', sa.Integer(), nullable=False),
        sa.Column('height', sa.Integer(), nullable=False),
        sa.Column('alt', AutoString(length=200), nullable=False),
        sa.Column('is_decorative', sa.Boolean(), nullable=False),
        sa.Column('focus_x', sa.Integer(), nullable=False),
        sa.Column('focus_y', sa.Integer(), nullable=False),
        sa.Column('author', AutoString(length=254), nullable=False),
        sa.Column('search', sa.Text(), nullable=False),
        sa.Column('created_at', UTCDateTime(), nullable=False),
        sa.Column('updated_at', UTCDateTime(), nullable=False),
        sa.Column('deleted_at', UTCDateTime(), nullable=True),
        sa.CheckConstraint('focus_x BETWEEN 0 AND 100 AND focus_y BETWEEN 0 AND 100', name=op.f('ck_pictures_focus')),
        sa.CheckConstraint('width >= 1 AND height >= 1', name=op.f('ck_pictures_size')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_pictures')),
        sa.UniqueConstraint('digest', name=op.f('uq_pictures_digest'))
    )
    op.create_index('ix_pictures_created_at_id', 'pictures', ['created_at', 'id'])
    op.create_index('ix_pictures_searched', 'pictures', ['created_at', 'id', 'search'])
    op.create_table('content_events',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('at', UTCDateTime(), nullable=False),
        sa.Column('actor', AutoString(length=254), nullable=False),
        sa.Column('entry_id', sa.Integer(), nullable=False),
        sa.Column('what', AutoString(length=24), nullable=False),
        sa.Column('note', AutoString(length=500), nullable=False),
        sa.Column('document', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(['entry_id'], ['content_entries.id'], name=op.f('fk_content_events_entry_id_content_entries')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_content_events'))
    )
    op.create_index(op.f('ix_content_events_entry_id'), 'content_events', ['entry_id'])
    op.create_table('picture_files',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('picture_id', sa.Integer(), nullable=False),
        sa.Column('name', AutoString(length=24), nullable=False),
        sa.Column('media_type', AutoString(length=40), nullable=False),
        sa.Column('body', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['picture_id'], ['pictures.id'], name=op.f('fk_picture_files_picture_id_pictures')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_picture_files')),
        sa.UniqueConstraint('picture_id', 'name', name=op.f('uq_picture_files_picture_id_name'))
    )
    op.create_index(op.f('ix_picture_files_picture_id'), 'picture_files', ['picture_id'])
    op.add_column('webinar_registrations', sa.Column('announced_event', AutoString(length=640), nullable=False, server_default=''))


def downgrade() -> None:
    op.drop_column('webinar_registrations', 'announced_event')
    for table in ('picture_files', 'content_events', 'pictures', 'content_entries'):
        op.drop_table(table)
