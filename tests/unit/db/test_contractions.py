"""The check that a release only expands the schema of the last one, whose servers run beside it."""

import pytest
from sqlalchemy import create_engine, text

from tests.contractions import Schema, find_contractions, read_schema, refuse_contractions

ORDERS = "CREATE TABLE orders (id INTEGER PRIMARY KEY, email VARCHAR(254) NOT NULL, note TEXT)"


def schema_after(*statements: str) -> Schema:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        for statement in (ORDERS, *statements):
            connection.execute(text(statement))
    schema = read_schema(engine)
    engine.dispose()
    return schema


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE coupons (code TEXT NOT NULL)",
        "ALTER TABLE orders ADD COLUMN coupon TEXT",
        "ALTER TABLE orders ADD COLUMN discount INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX ix_orders_email ON orders (email)",
    ],
)
def test_expansions_pass(statement: str) -> None:
    refuse_contractions(schema_after(), schema_after(statement), {})


@pytest.mark.parametrize(
    ("statement", "name", "reason"),
    [
        ("DROP TABLE orders", "orders", "dropped or renamed"),
        ("ALTER TABLE orders RENAME TO purchases", "orders", "dropped or renamed"),
        ("ALTER TABLE orders DROP COLUMN note", "orders.note", "dropped or renamed"),
        ("ALTER TABLE orders RENAME COLUMN note TO remark", "orders.note", "dropped or renamed"),
    ],
)
def test_drops_and_renames_are_refused(statement: str, name: str, reason: str) -> None:
    with pytest.raises(AssertionError, match=f"{name}: .*{reason}"):
        refuse_contractions(schema_after(), schema_after(statement), {})


def schema_of_orders(columns: str) -> Schema:
    return schema_after("DROP TABLE orders", f"CREATE TABLE orders (id INTEGER PRIMARY KEY, {columns})")


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ("email VARCHAR(254) NOT NULL, note TEXT, coupon TEXT NOT NULL", "orders.coupon"),
        ("email VARCHAR(254) NOT NULL, note TEXT NOT NULL", "orders.note"),
        ("email VARCHAR(100) NOT NULL, note TEXT", "orders.email"),
    ],
)
def test_a_column_that_earlier_servers_do_not_write_may_not_be_required(columns: str, name: str) -> None:
    assert list(find_contractions(schema_after(), schema_of_orders(columns))) == [name]


def test_a_reasoned_contraction_passes_and_an_idle_one_does_not() -> None:
    reasons = {"orders.note": "no server has read it since the release before"}
    without = schema_after("ALTER TABLE orders DROP COLUMN note")
    refuse_contractions(schema_after(), without, reasons)
    with pytest.raises(AssertionError, match=r"does not happen: orders\.note"):
        refuse_contractions(schema_after(), schema_after(), reasons)


def schema_of_states(states: str) -> Schema:
    return schema_of_orders(f"email VARCHAR(254) NOT NULL, note TEXT, state TEXT CHECK (state IN ({states}))")


def test_a_new_member_of_an_enum_is_refused_unless_the_order_of_releases_is_stated() -> None:
    before, after = schema_of_states("'open', 'paid'"), schema_of_states("'open', 'paid', 'lost'")
    with pytest.raises(AssertionError, match=r"orders\.state: earlier servers cannot show lost"):
        refuse_contractions(before, after, {})
    refuse_contractions(before, after, {"orders.state": "read since 1.4, written since 1.5"})
    refuse_contractions(after, before, {})


def test_a_check_that_is_gone_admits_any_member() -> None:
    after = schema_of_orders("email VARCHAR(254) NOT NULL, note TEXT, state TEXT")
    with pytest.raises(AssertionError, match=r"orders\.state: the column admits any value"):
        refuse_contractions(schema_of_states("'open'"), after, {})
