"""Payments of a database in use are prompts; an order still has one open prompt, and may have money beside it."""

import pytest
from alembic import command
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

from agency_site.db.migrations import config_for
from tests.integration.features.checkout.test_migration import engine, order, payment, url

__all__ = ["engine", "url"]
BEFORE, REVISION = "0022", "0023"


def test_what_was_there_is_a_prompt_and_one_of_an_order_is_open(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        order(connection, 1, search="", version=1, client_digest="", run_reference="")
        payment(connection, 1, account_reference="ENAAAAA11", state="pending", refunded=0)
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        assert connection.execute(text("SELECT kind FROM payments")).scalar_one() == "prompt"
        payment(connection, 2, account_reference="ENAAAAA12", state="created", refunded=0, kind="cash")
        connection.execute(text("UPDATE payments SET state = 'paid' WHERE id = 2"))
    for twin in ({"kind": "prompt"}, {"kind": "barter"}):
        with pytest.raises(IntegrityError), engine.begin() as connection:
            payment(connection, 3, account_reference="ENAAAAA13", state="pending", refunded=0, **twin)
    command.downgrade(config_for(url), BEFORE)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        payment(connection, 3, account_reference="ENAAAAA13", state="unknown", refunded=0)
    command.upgrade(config_for(url), REVISION)
