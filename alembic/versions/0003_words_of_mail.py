"""Store the content of a message instead of its rendered bodies.

Revision ID: 0003
Revises: 0002
"""

import html
from collections.abc import Callable, Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | Sequence[str] | None = "0002"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

MESSAGES = sa.table(
    "outbox_messages",
    sa.column("id", sa.Integer),
    sa.column("subject", sa.String),
    sa.column("words", sa.JSON),
    sa.column("text", sa.Text),
    sa.column("html", sa.Text),
)


def upgrade() -> None:
    """The text body of an older message becomes its content."""
    with op.batch_alter_table("outbox_messages") as table:
        table.add_column(sa.Column("words", sa.JSON(), nullable=True))

    def words(row: sa.Row) -> dict[str, object]:
        said = {"heading": row.subject, "paragraphs": [row.text], "facts": [], "actions": [], "closing": []}
        return {"words": said}

    _fill(words, MESSAGES.c.text)
    with op.batch_alter_table("outbox_messages") as table:
        table.alter_column("words", existing_type=sa.JSON(), nullable=False)
        table.drop_column("text")
        table.drop_column("html")


def downgrade() -> None:
    """Both bodies become the plain text."""
    with op.batch_alter_table("outbox_messages") as table:
        table.add_column(sa.Column("text", sa.Text(), nullable=True))
        table.add_column(sa.Column("html", sa.Text(), nullable=True))

    def bodies(row: sa.Row) -> dict[str, object]:
        said = row.words
        pairs = (f"{label}: {value}" for label, value in (*said["facts"], *said["actions"]))
        text = "\n\n".join((said["heading"], *said["paragraphs"], *pairs, *said["closing"])) + "\n"
        return {"text": text, "html": f"<pre>{html.escape(text)}</pre>"}

    _fill(bodies, MESSAGES.c.words)
    with op.batch_alter_table("outbox_messages") as table:
        table.alter_column("text", existing_type=sa.Text(), nullable=False)
        table.alter_column("html", existing_type=sa.Text(), nullable=False)
        table.drop_column("words")


def _fill(values: Callable[[sa.Row], dict[str, object]], source: sa.Column) -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(MESSAGES.c.id, MESSAGES.c.subject, source)).all():
        connection.execute(sa.update(MESSAGES).where(MESSAGES.c.id == row.id).values(values(row)))
