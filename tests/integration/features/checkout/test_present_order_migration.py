"""Orders of a database in use: of each person's orders for a course the newest that is paid or may be is the present one."""

import pytest
from alembic import command
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

from agency_site.db.migrations import config_for
from agency_site.features.checkout.orders.rules import compute_open_key
from tests.integration.features.checkout.test_migration import engine, order, url

__all__ = ["engine", "url"]
BEFORE, REVISION = "0011", "0012"


def test_the_newest_order_that_is_paid_or_may_be_is_the_present_one(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), BEFORE)
    orders = [
        ("paid", "google-ads"),
        ("awaiting", "google-ads"),
        ("unpaid", "google-ads"),
        ("free", "digital-skills"),
    ]
    with engine.begin() as connection:
        for number, (state, slug) in enumerate(orders, 1):
            order(
                connection,
                number,
                state=state,
                course_slug=slug,
                open_key=f"old {number}",
                search="",
                version=1,
            )
        order(connection, 5, state="paid", email="", open_key="old 5", search="", version=1)
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        keys = connection.execute(text("SELECT open_key FROM orders ORDER BY id")).scalars().all()
    assert keys == [
        None,
        compute_open_key("Amina@example.com", "google-ads"),
        None,
        compute_open_key("Amina@example.com", "digital-skills"),
        None,
    ]
    with engine.begin() as connection:
        connection.execute(text("UPDATE orders SET previous_order_id = 1 WHERE id = 2"))
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text("UPDATE orders SET previous_order_id = 1 WHERE id = 3"))
    command.downgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        assert connection.execute(text("SELECT count(*) FROM orders")).scalar_one() == 5
