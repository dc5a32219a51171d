"""Orders of a database in use have no coupon; what a coupon has taken off survives the way back as the price."""

import pytest
from alembic import command
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import IntegrityError

from agency_site.db.migrations import config_for
from tests.integration.features.checkout.test_migration import MOMENT, engine, insert, order, url

__all__ = ["engine", "url"]
BEFORE, REVISION = "0025", "0026"
PRICES = "SELECT quantity, unit_price, amount FROM orders ORDER BY id"
REST = {"search": "", "version": 1, "client_digest": "", "run_reference": ""}


def coupon(connection: Connection, number: int, **values: object) -> None:
    row = {
        "id": number, "code": f"JANUARY-{number}", "course_slug": "", "run_reference": "", "used": 0, "version": 1,
        "created_at": MOMENT, "updated_at": MOMENT, **values,
    }  # fmt: skip
    insert(connection, "coupons", **row)


def test_orders_keep_their_amounts_both_ways(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        order(connection, 1, quantity=2, unit_price=5, amount=10, **REST)
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        stored = connection.execute(text("SELECT coupon_code, discount, amount FROM orders")).one()
        assert tuple(stored) == ("", 0, 10)
        coupon(connection, 1, percent=10, uses=1, used=1)
        order(connection, 2, quantity=2, unit_price=5, amount=9, coupon_code="JANUARY-1", discount=1, **REST)
        insert(connection, "coupon_uses", id=1, order_id=2, coupon_id=1)
    command.downgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        assert [tuple(one) for one in connection.execute(text(PRICES))] == [(2, 5, 10), (1, 9, 9)]
    with pytest.raises(IntegrityError), engine.begin() as connection:
        order(connection, 3, quantity=2, unit_price=5, amount=9, **REST)
    command.upgrade(config_for(url), REVISION)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"percent": 10, "amount": 5},
        {"percent": 100},
        {"percent": 0},
        {"amount": 0},
        {"amount": 5, "uses": 1, "used": 2},
        {"amount": 5, "used": -1},
    ],
)
def test_a_coupon_that_cannot_be_is_refused(url: str, engine: Engine, wrong: dict[str, int]) -> None:
    command.upgrade(config_for(url), REVISION)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        coupon(connection, 1, **wrong)


def test_an_order_uses_one_coupon_once(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        order(connection, 1, coupon_code="JANUARY-1", discount=0, **REST)
        coupon(connection, 1, percent=10)
        insert(connection, "coupon_uses", id=1, order_id=1, coupon_id=1)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        insert(connection, "coupon_uses", id=2, order_id=1, coupon_id=1)
