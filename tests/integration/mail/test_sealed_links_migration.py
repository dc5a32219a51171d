"""The migration that encrypts links in stored messages, on a database in use."""

import json
from typing import Any

from alembic import command
from sqlalchemy import Connection, Engine, text
from sqlalchemy.dialects import sqlite

from agency_site.db.migrations import config_for
from agency_site.mail.sealed_columns import SealedJson
from agency_site.settings import settings
from tests.integration.features.checkout.test_migration import MOMENT, engine, insert, url

__all__ = ["engine", "url"]
BEFORE, REVISION = "0040", "0041"


def words() -> dict[str, Any]:
    return {"heading": "Your place", "actions": [["Open", f"{settings().site_url}/learner/a-private-token"]]}


def store(connection: Connection, number: int, state: str, content: dict[str, Any]) -> None:
    insert(
        connection, "outbox_messages", id=number, kind="learner-confirmed", to="amina@example.com", to_name="",
        subject="Your place", words=json.dumps(content), attachments="[]", headers="[]", message_id=f"<{number}@x>",
        about="", requested_by="", search="", state=state, attempts=0, last_error="", created_at=MOMENT,
    )  # fmt: skip


def read(connection: Connection) -> list[Any]:
    stored = connection.execute(text("SELECT words FROM outbox_messages ORDER BY id")).scalars()
    return [json.loads(row) if isinstance(row, str) else row for row in stored]


def test_links_of_sent_messages_are_encrypted_and_queued_ones_can_be_sent_by_either_release(
    url: str, engine: Engine
) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        store(connection, 1, "sent", words())
        store(connection, 2, "queued", words())
    command.upgrade(config_for(url), REVISION)
    sealed = SealedJson().process_bind_param(words(), sqlite.dialect())
    with engine.begin() as connection:
        sent, queued = read(connection)
        assert "a-private-token" not in str(sent)
        assert queued == words()
        # As a server of this release enqueues it.
        store(connection, 3, "queued", sealed)
    command.downgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        assert read(connection) == [words()] * 3
