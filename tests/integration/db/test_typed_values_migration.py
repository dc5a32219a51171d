"""Rows of a database in use are found by what people type: without apostrophes, addresses in ASCII."""

from typing import Any

from alembic import command
from sqlalchemy import Connection, Engine, text

from agency_site.db.migrations import config_for
from tests.integration.features.checkout.test_migration import engine, url

__all__ = ["engine", "url"]
BEFORE, REVISION = "0044", "0045"


def subscriber(connection: Connection, number: int, email: str, state: str, search: str = "x") -> None:
    values = {
        "id": number,
        "email": email,
        "state": state,
        "reference": f"NL-{number}",
        "search": search,
    }
    connection.execute(
        text(
            "INSERT INTO subscribers (id, reference, email, source, state, interests, token_seed, search, created_at, version) "
            "VALUES (:id, :reference, :email, 'footer', :state, '[]', 'seed', :search, '2026-11-01 08:00:00', 1)"
        ),
        values,
    )


def read(connection: Connection, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(text(statement))]


def test_stored_rows_take_the_form_in_which_they_are_looked_for(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        for number, words in enumerate(("ng'ang'a", "ng\u2019ang\u2019a", "o`brien", "plain"), 11):
            subscriber(connection, number, f"{number}@example.com", "pending", words)
        for number, (email, state) in enumerate(
            [
                ("amina@m\u00fcnchen.de", "subscribed"),
                ("twin@m\u00fcnchen.de", "unsubscribed"),
                ("twin@xn--mnchen-3ya.de", "subscribed"),
                ("j\u00fcrgen@m\u00fcnchen.de", "subscribed"),
                ("plain@example.com", "pending"),
            ],
            1,
        ):
            subscriber(connection, number, email, state)
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        assert read(connection, "SELECT search FROM subscribers WHERE id > 10 ORDER BY id") == [
            ("nganga",), ("nganga",), ("obrien",), ("plain",),
        ]  # fmt: skip
        assert read(connection, "SELECT email, state FROM subscribers WHERE id < 10 ORDER BY id") == [
            ("amina@xn--mnchen-3ya.de", "subscribed"),
            ("", "unsubscribed"),
            ("twin@xn--mnchen-3ya.de", "unsubscribed"),
            ("j\u00fcrgen@m\u00fcnchen.de", "subscribed"),
            ("plain@example.com", "pending"),
        ]
        found = read(connection, "SELECT id FROM subscribers WHERE search LIKE '%amina@xn--mnchen-3ya.de%'")
        assert found == [(1,)]
    command.downgrade(config_for(url), BEFORE)
