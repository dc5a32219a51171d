"""`make migration` writes everything that a changed table needs, so that a developer only has to read it."""

from enum import StrEnum

import pytest
import sqlalchemy as sa
import sqlmodel
from alembic import op
from alembic.autogenerate import produce_migrations, render_python_code
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.util import CommandError
from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Enum,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    inspect,
    text,
)
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

from agency_site.db.altered_tables import alter_table, refuse_rows
from agency_site.db.columns import address_index
from agency_site.db.migrations import plain_engine
from agency_site.db.new_migrations import complete_migration, find_changed_checks, find_missing_indexes
from agency_site.db.tables import metadata

pytestmark = [pytest.mark.each_database, pytest.mark.filterwarnings("ignore:.*expression-based index")]


def generate_migration(database_url: str, declared: MetaData) -> tuple[str, str, str]:
    """Return number, upgrade and downgrade of a new migration from the present tables to `declared`."""
    with plain_engine(database_url).connect() as connection:
        options = {
            "compare_type": True,
            "render_as_batch": False,
            # As in alembic/env.py: indexes of trigrams are declared nowhere.
            "include_object": lambda _thing, name, *_: not str(name).endswith("_trgm"),
        }
        context = MigrationContext.configure(connection, opts=options | {"target_metadata": declared})
        script = produce_migrations(context, declared)
        complete_migration(script, connection, declared, "0046")
    assert script.upgrade_ops
    assert script.downgrade_ops
    return (
        str(script.rev_id),
        render_python_code(script.upgrade_ops),
        render_python_code(script.downgrade_ops),
    )


def copy_of_tables() -> MetaData:
    declared = MetaData(naming_convention=metadata.naming_convention)
    for table in metadata.sorted_tables:
        table.to_metadata(declared)
    return declared


def test_a_new_column_is_added_in_place_with_a_default_and_dropped_in_place(database_url: str) -> None:
    declared = copy_of_tables()
    declared.tables["bookings"].append_column(Column("budget", String(40), nullable=False))
    number, upgrade, downgrade = generate_migration(database_url, declared)
    assert number == "0047"
    assert "op.add_column('bookings', sa.Column('budget'" in upgrade
    assert "server_default=''" in upgrade
    assert "op.drop_column('bookings', 'budget')" in downgrade
    assert "batch_alter_table" not in upgrade + downgrade


def test_a_new_table_gets_its_indexes_of_expressions(database_url: str) -> None:
    declared = copy_of_tables()
    Table(
        "call_backs",
        declared,
        Column("id", Integer, primary_key=True),
        Column("email", String(254), nullable=False),
        address_index("call_backs"),
    )
    _, upgrade, downgrade = generate_migration(database_url, declared)
    assert "op.create_index('ix_call_backs_lower_email', 'call_backs'" in upgrade
    assert "op.drop_table('call_backs')" in downgrade


def test_a_missing_index_of_an_expression_is_created_again(database_url: str) -> None:
    declared = copy_of_tables()
    address_index("payments", "phone")._set_parent(declared.tables["payments"])
    _, upgrade, downgrade = generate_migration(database_url, declared)
    assert "op.create_index('ix_payments_lower_phone', 'payments'" in upgrade
    assert "op.drop_index('ix_payments_lower_phone'" in downgrade


class Place(StrEnum):
    BY_PHONE = "by-phone"
    IN_KAREN = "in-karen"


def choice_column(name: str, **options: object) -> Column[object]:
    kind = Enum(
        Place, name=name, native_enum=False, create_constraint=True, length=24,
        values_callable=lambda enum: [member.value for member in enum],
    )  # fmt: skip
    return Column(name, kind, **options)  # type: ignore[arg-type]


def run(connection: Connection, code: str) -> None:
    """Run the code of a generated migration."""
    names = {"op": op, "sa": sa, "sqlmodel": sqlmodel, "alter_table": alter_table, "refuse_rows": refuse_rows}
    with Operations.context(MigrationContext.configure(connection)):
        exec(f"if True:\n    {code}", names)


def read_objects(connection: Connection) -> set[str]:
    """Return the names of indexes and triggers."""
    statement = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('index', 'trigger')",
        "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
        " UNION SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    }[connection.dialect.name]
    return {name for name in connection.scalars(text(statement)) if not name.startswith("sqlite_autoindex")}


@pytest.mark.parametrize(
    ("column", "default"),
    [
        (Column("budget", AutoString(), nullable=False), "server_default=''"),
        (Column("budget", AutoString(), nullable=False, default="it's"), 'server_default="it\'s"'),
        (Column("budget", Boolean(), nullable=False, default=True), "true"),
        (Column("budget", Boolean(), nullable=False), "false"),
        (Column("budget", Integer(), nullable=False, default=5), "'5'"),
        (Column("budget", Float(), nullable=False, default=1.5), "1.5"),
        (Column("budget", JSON(), nullable=False, default=list), "server_default='[]'"),
        (choice_column("budget", nullable=False, default=Place.IN_KAREN), "DEFAULT 'in-karen' NOT NULL"),
        (choice_column("budget", nullable=False), "DEFAULT 'by-phone' NOT NULL"),
    ],
)
def test_stored_rows_get_the_default_that_the_table_declares(
    database_url: str, column: Column[object], default: str
) -> None:
    declared = copy_of_tables()
    declared.tables["bookings"].append_column(column._copy())
    _, upgrade, _ = generate_migration(database_url, declared)
    assert default in upgrade


def test_a_dropped_column_comes_back_with_a_default(database_url: str) -> None:
    declared = copy_of_tables()
    declared.tables["newsletter_opt_ins"]._columns.remove(declared.tables["newsletter_opt_ins"].c.source)
    _, upgrade, downgrade = generate_migration(database_url, declared)
    assert "op.drop_column('newsletter_opt_ins', 'source')" in upgrade
    assert "server_default=" in downgrade


def test_a_new_time_that_stored_rows_cannot_have_is_refused(database_url: str) -> None:
    declared = copy_of_tables()
    declared.tables["bookings"].append_column(Column("called_at", UTCDateTime(), nullable=False))
    with pytest.raises(CommandError, match=r"bookings\.called_at: stored rows have no value"):
        generate_migration(database_url, declared)


@pytest.mark.parametrize("kind", ["choice", "reference", "unique", "check", "member", "everything"])
def test_a_generated_migration_runs_both_ways_on_both_databases_and_keeps_indexes_and_triggers(
    database_url: str, kind: str
) -> None:
    declared = copy_of_tables()
    bookings = declared.tables["bookings"]
    if kind in {"choice", "everything"}:
        bookings.append_column(choice_column("place", nullable=False))
    if kind in {"reference", "everything"}:
        bookings.append_column(Column("seller", Integer, ForeignKey("staff_accounts.id"), nullable=True))
    if kind in {"unique", "everything"}:
        bookings.append_constraint(UniqueConstraint("phone", "starts_at"))
    if kind in {"check", "everything"}:
        bookings.append_constraint(CheckConstraint("seat < 1000", name="seat_small"))
    if kind in {"member", "everything"}:
        [state] = [item for item in bookings.constraints if item.name == "ck_bookings_state"]
        bookings.constraints.remove(state)
        states = "state IN ('confirmed', 'cancelled', 'completed', 'no_show', 'paused')"
        bookings.append_constraint(CheckConstraint(states, name="state"))
    _, upgrade, downgrade = generate_migration(database_url, declared)
    with plain_engine(database_url).connect() as connection:
        before, columns = read_objects(connection), inspect(connection).get_columns("bookings")
        run(connection, upgrade)
        assert before <= read_objects(connection)
        assert find_changed_checks(connection, declared) == []
        assert find_missing_indexes(connection, declared) == set()
        run(connection, downgrade)
        assert read_objects(connection) == before
        assert [item["name"] for item in inspect(connection).get_columns("bookings")] == [
            item["name"] for item in columns
        ]
        assert find_changed_checks(connection, metadata) == []
        connection.rollback()


def test_a_new_member_of_a_choice_changes_its_check(database_url: str) -> None:
    declared = copy_of_tables()
    enquiries = declared.tables["enquiries"]
    [kind] = [item for item in enquiries.constraints if item.name == "ck_enquiries_kind"]
    enquiries.constraints.remove(kind)
    enquiries.append_constraint(CheckConstraint("kind IN ('message', 'signup', 'call')", name="kind"))
    _, upgrade, downgrade = generate_migration(database_url, declared)
    assert "with alter_table('enquiries') as batch_op:" in upgrade
    assert (
        "batch_op.create_check_constraint(op.f('ck_enquiries_kind'), \"kind IN ('message', 'signup', 'call')\")"
        in upgrade
    )
    assert "\"kind IN ('message', 'signup')\"" in downgrade
    assert "refuse_rows('enquiries', \"kind IN ('call')\")" in downgrade


def test_members_that_are_declared_as_stored_change_nothing(database_url: str) -> None:
    with plain_engine(database_url).connect() as connection:
        assert find_changed_checks(connection, metadata) == []
