"""Payments of a database in use get account references of their own."""

from alembic import command
from sqlalchemy import Engine, text

from agency_site.db.migrations import config_for
from tests.integration.features.checkout.test_migration import engine, order, payment, url

__all__ = ["engine", "url"]
BEFORE, REVISION = "0016", "0017"


def test_the_first_payment_has_the_order_s_reference_and_the_later_ones_their_number(
    url: str, engine: Engine
) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        for number in (1, 2):
            order(connection, number, open_key=f"k{number}", search="", version=1, client_digest="")
        for number, of_order in enumerate([1, 2, 1, 1, 2], 1):
            payment(connection, number, order_id=of_order, state="failed", refund_reason="")
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        found = connection.execute(text("SELECT account_reference FROM payments ORDER BY id")).scalars().all()
    assert found == ["ENAAAAA1", "ENAAAAA2", "ENAAAAA12", "ENAAAAA13", "ENAAAAA22"]
    command.downgrade(config_for(url), BEFORE)
