"""Refunds of a database in use become rows of their own, and columns again."""

from alembic import command
from sqlalchemy import Connection, Engine, text

from agency_site.db.migrations import config_for
from tests.integration.features.checkout.test_migration import MOMENT, engine, insert, order, payment, url

__all__ = ["engine", "url"]
BEFORE, REVISION = "0021", "0022"
REFUNDED = {"state": "refunded", "refunded_at": "2026-11-21 09:00:00.000000"}
COLUMNS = "SELECT state, refund_reference, refund_reason FROM payments ORDER BY id"


def event(connection: Connection, number: int, of_payment: int, **values: str) -> None:
    row = {"id": number, "order_id": 1, "payment_id": of_payment, "at": MOMENT, "why": ""}
    insert(connection, "order_events", **row, **values)


def test_a_refunded_payment_has_one_refund_of_all_of_it(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        order(connection, 1, search="", version=1, client_digest="", run_reference="")
        for number, values in enumerate(
            (
                {"state": "paid", "refund_reason": ""},
                {**REFUNDED, "refund_reference": "UKM0REFUND", "refund_reason": "ill"},
                {**REFUNDED, "refund_reason": ""},
            ),
            1,
        ):
            payment(connection, number, account_reference=f"ENAAAAA1{number}", settled_at=MOMENT, **values)
        event(connection, 1, 2, actor="m-pesa", from_state="pending", to_state="paid")
        event(connection, 2, 2, actor="wanjiku@mwanga.example", from_state="paid", to_state="refunded")
        event(connection, 3, 2, actor="zuri@mwanga.example", from_state="refunded", to_state="refunded")
        before = connection.execute(text(COLUMNS)).all()
    command.upgrade(config_for(url), REVISION)
    with engine.begin() as connection:
        stored = connection.execute(
            text("SELECT payment_id, amount, reference, reason, refunded_by FROM refunds ORDER BY id")
        ).all()
        assert [tuple(one) for one in stored] == [
            (2, 5, "UKM0REFUND", "ill", "wanjiku@mwanga.example"),
            (3, 5, "NOT STATED 3", "", ""),
        ]
        sums = connection.execute(text("SELECT refunded FROM payments ORDER BY id")).scalars().all()
        assert sums == [0, 5, 5]
        part = {"payment_id": 1, "amount": 2, "reference": "PART", "reason": "", "refunded_by": ""}
        insert(connection, "refunds", **part, refunded_at=MOMENT)
        connection.execute(text("UPDATE payments SET refunded = 2 WHERE id = 1"))
    command.downgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        after = connection.execute(text(COLUMNS)).all()
    assert after == [*before[:2], ("refunded", "NOT STATED 3", "")]
    command.upgrade(config_for(url), REVISION)
