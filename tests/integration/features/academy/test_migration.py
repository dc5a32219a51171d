"""Enrolments and orders of a database in use survive the migrations of the academy."""

from alembic import command
from sqlalchemy import Engine, text

from tests.integration.features.checkout.test_migration import MOMENT, engine, insert, order, url
from tests.migrations_check import config_for

__all__ = ["engine", "url"]
BEFORE = "0018"


def test_enrolments_and_orders_stay_and_have_no_run(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        for number in (1, 2):
            order(connection, number, open_key=f"k{number}", search="", version=3, client_digest="")
            insert(
                connection, "enrolments", id=number, order_id=number, reference=f"EN-AAAAA{number}",
                course_slug="google-ads", course_name="Ads", places=number, created_at=MOMENT,
                ended_at=MOMENT if number == 2 else None,
            )  # fmt: skip
        before = connection.execute(text("SELECT * FROM enrolments ORDER BY id")).mappings().all()
        ordered = connection.execute(text("SELECT * FROM orders ORDER BY id")).mappings().all()
    command.upgrade(config_for(url), "head")
    with engine.begin() as connection:
        after = connection.execute(text("SELECT * FROM enrolments ORDER BY id")).mappings().all()
        assert [dict(row) for row in after] == [{**row, "run_id": None} for row in before]
        found = connection.execute(text("SELECT * FROM orders ORDER BY id")).mappings().all()
        assert [dict(row) for row in found] == [{**row, "run_reference": ""} for row in ordered]
    command.downgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        again = connection.execute(text("SELECT * FROM enrolments ORDER BY id")).mappings().all()
    assert again == before
