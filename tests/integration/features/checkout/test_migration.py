"""Migration 0007 on a database in use: its rows stay, are searchable, and survive the downgrade."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.exc import IntegrityError

from agency_site.db.migrations import config_for
from tests.servers import Postgres

REVISION = "0007"
MOMENT = "2026-11-20 09:00:00.000000"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    logging.getLogger("alembic").setLevel(logging.WARNING)
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path}/old.sqlite3"
    server: Postgres = request.getfixturevalue("postgres")
    found = server.fresh_database()
    command.downgrade(config_for(found), "base")
    return found


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    parsed = make_url(url)
    made = create_engine(parsed.set(drivername="sqlite") if url.startswith("sqlite") else parsed)
    yield made
    made.dispose()


def before() -> str:
    """The revision that this one follows."""
    found = ScriptDirectory.from_config(config_for("")).get_revision(REVISION).down_revision
    assert isinstance(found, str)
    return found


def insert(connection: Connection, table: str, **values: Any) -> None:
    names = ", ".join(f'"{name}"' for name in values)
    marks = ", ".join(f":{name}" for name in values)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values)


def order(connection: Connection, number: int, **values: Any) -> None:
    row = {
        "id": number, "reference": f"EN-AAAAA{number}", "state": "paid", "first_name": "Amina", "last_name": "Wanjirũ",
        "email": "Amina@example.com", "phone": "+254712345678", "course_slug": "google-ads", "course_name": "Ads",
        "quantity": 1, "unit_price": 5, "amount": 5, "currency": "KES", "token_hash": f"t{number}",
        "created_at": MOMENT, "updated_at": MOMENT,
    }  # fmt: skip
    insert(connection, "orders", **{**row, **values})


def payment(connection: Connection, number: int, **values: Any) -> None:
    row = {
        "id": number, "order_id": 1, "attempt_key": f"k{number}", "state": "paid", "phone": "254712345678", "amount": 5,
        "result_code": "", "result_text": "", "customer_message": "", "created_at": MOMENT, "queries": 0,
    }  # fmt: skip
    insert(connection, "payments", **{**row, **values})


def mail(connection: Connection, number: int, **values: Any) -> None:
    row = {
        "id": number, "kind": "k", "to": "amina@example.com", "to_name": "", "subject": "Hello", "words": "{}",
        "attachments": "[]", "headers": "[]", "message_id": f"<{number}>", "state": "sent", "attempts": 1,
        "last_error": "", "created_at": MOMENT,
    }  # fmt: skip
    insert(connection, "outbox_messages", **{**row, **values})


def test_what_was_there_is_searchable_and_the_constraints_still_hold(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), before())
    with engine.begin() as connection:
        order(connection, 1)
        payment(connection, 1, receipt="UKA1B2C3D4")
        mail(connection, 1, key="enrolment:EN-AAAAAA")
        mail(connection, 2, state="failed", attempts=1, subject="New enrolment: EN-AAAAAB, Ads")
        mail(connection, 3, state="failed", attempts=6)
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        stored = connection.execute(text("SELECT search, version FROM orders")).one()
        assert "en-aaaaa1 amina wanjiru amina@example.com" in stored.search
        assert ("0712345678" in stored.search, stored.version) == (True, 1)
        mails = connection.execute(
            text("SELECT about, failure, search FROM outbox_messages ORDER BY id")
        ).all()
        assert [(one.about, one.failure) for one in mails] == [
            ("EN-AAAAAA", None),
            ("EN-AAAAAB", "refused"),
            ("", "given_up"),
        ]
        assert mails[0].search == "amina@example.com hello en-aaaaaa"
        assert connection.execute(text("SELECT receipt FROM payments")).scalar_one() == "UKA1B2C3D4"
        connection.execute(text("UPDATE payments SET state = 'refunded', refund_reason = ''"))
        connection.execute(text("UPDATE orders SET state = 'refunded'"))
        payment(connection, 2, state="pending", refund_reason="")
    for twin in ({"state": "unknown"}, {"state": "lost"}, {"state": "failed", "receipt": "UKA1B2C3D4"}):
        with pytest.raises(IntegrityError), engine.begin() as connection:
            payment(connection, 3, refund_reason="", **twin)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text("UPDATE orders SET state = 'lost'"))


def test_going_back_keeps_the_money_and_the_constraints(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        order(connection, 1, state="refunded", search="", version=2)
        payment(connection, 1, state="refunded", receipt="UKA1B2C3D4", refund_reason="why")
        payment(connection, 2, state="pending", refund_reason="")
    command.downgrade(config_for(url), before())
    with engine.begin() as connection:
        assert connection.execute(text("SELECT state FROM orders")).scalar_one() == "paid"
        assert connection.execute(text("SELECT receipt FROM payments WHERE state = 'paid'")).scalar_one()
    for twin in ({"state": "created"}, {"state": "refunded"}):
        with pytest.raises(IntegrityError), engine.begin() as connection:
            payment(connection, 3, **twin)
    command.upgrade(config_for(url), REVISION)
