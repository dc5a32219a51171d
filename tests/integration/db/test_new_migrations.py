"""`make migration` writes what a changed table needs, so that only its meaning is left to read."""

import pytest
from alembic.autogenerate import produce_migrations, render_python_code
from alembic.migration import MigrationContext
from sqlalchemy import Column, Integer, MetaData, String, Table

from agency_site.db.columns import address_index
from agency_site.db.migrations import plain_engine
from agency_site.db.new_migrations import complete_migration
from agency_site.db.tables import metadata

pytestmark = pytest.mark.filterwarnings("ignore:.*expression-based index")


def written(database_url: str, declared: MetaData) -> tuple[str, str, str]:
    """The number, upgrade and downgrade of a new migration from the present tables to `declared`."""
    with plain_engine(database_url).connect() as connection:
        options = {"compare_type": True, "render_as_batch": False}
        found = MigrationContext.configure(connection, opts=options | {"target_metadata": declared})
        script = produce_migrations(found, declared)
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
    number, upgrade, downgrade = written(database_url, declared)
    assert number == "0047"
    assert "op.add_column('bookings', sa.Column('budget'" in upgrade
    assert "server_default=sa.text(\"''\")" in upgrade
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
    _, upgrade, downgrade = written(database_url, declared)
    assert "op.create_index('ix_call_backs_lower_email', 'call_backs'" in upgrade
    assert "op.drop_table('call_backs')" in downgrade


def test_an_index_of_an_expression_that_is_lost_is_made_again(database_url: str) -> None:
    declared = copy_of_tables()
    address_index("payments", "phone")._set_parent(declared.tables["payments"])
    _, upgrade, downgrade = written(database_url, declared)
    assert "op.create_index('ix_payments_lower_phone', 'payments'" in upgrade
    assert "op.drop_index('ix_payments_lower_phone'" in downgrade
