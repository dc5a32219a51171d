"""A list reads its query from an address, and writes the same address."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    ExactText,
    ListDefinition,
    ListQuery,
    Search,
    StoredChoice,
    excerpt,
    read_query,
    search_text_in,
    shown_columns,
)
from agency_site.backoffice.lists.query import conditions, ordered
from agency_site.form_input import search_words
from agency_site.visits.rules import clean_part

STATES = (("moved", "Moved"), ("cancelled", "Cancelled"))


async def _no_options(_session: AsyncSession) -> tuple[tuple[str, str], ...]:
    return ()


DEFINITION = ListDefinition(
    name="things",
    title="Things",
    noun=("thing", "things"),
    path="/admin/things",
    permission=Permission.ENTER,
    rows=lambda: select(AuditEntry),
    identity=col(AuditEntry.id),
    reference=lambda row: row.reference,
    columns=(
        Column("at", "When", lambda row: Cell(str(row.at)), sort=col(AuditEntry.at)),
        Column("who", "Who", lambda row: Cell(row.actor), sort=col(AuditEntry.actor)),
        Column("from", "From", lambda row: Cell(row.address), is_shown=False),
    ),
    order="-at",
    filters=(
        Choice("state", "State", lambda: STATES, lambda value: col(AuditEntry.action) == value),
        StoredChoice("who", "Who", _no_options, lambda value: col(AuditEntry.actor) == value),
        Days("at", "Done", col(AuditEntry.at)),
        ExactText("actor", "Actor", clean_part, lambda value: col(AuditEntry.actor) == value),
    ),
    search=search_text_in(col(AuditEntry.reference)),
)

ANYTHING = st.dictionaries(
    st.sampled_from(["q", "state", "who", "at-from", "at-to", "actor", "sort", "columns", "page", "else"]),
    st.one_of(
        st.text(max_size=200), st.integers(), st.none(),
        st.sampled_from(["moved", "2026-11-20", "2026-02-30", "-who", "who", "from", "at,from", "3", "-1", "٣"]),
    ),
)  # fmt: skip


@given(ANYTHING)
def test_any_address_is_read_and_written_back_the_same(query: dict[str, object]) -> None:
    list_query = read_query(DEFINITION, query)
    assert read_query(DEFINITION, dict(parse_qsl(list_query.query))) == list_query


@given(ANYTHING)
def test_any_address_makes_a_statement_that_sorts_by_the_id_last(query: dict[str, object]) -> None:
    list_query = read_query(DEFINITION, query)
    statement = str(ordered(DEFINITION, list_query))
    assert statement.rstrip(" DESC").endswith("audit_entries.id")
    assert len(conditions(DEFINITION, list_query)) >= len(list_query.filters)


def test_only_what_was_asked_for_is_in_the_address() -> None:
    assert ListQuery().query == ""
    assert (
        ListQuery(words="amina o", filters={"state": "moved"}, page=2).query == "q=amina+o&state=moved&page=2"
    )
    assert read_query(DEFINITION, {"sort": "-at"}).query == ""


def test_what_the_list_does_not_have_is_left_out() -> None:
    list_query = read_query(
        DEFINITION, {"state": "sold", "sort": "price", "columns": "price", "at-from": "2026-02-30"}
    )
    assert list_query == ListQuery()


def test_a_hidden_column_is_shown_once_it_is_chosen() -> None:
    assert [column.key for column in shown_columns(DEFINITION, ListQuery())] == ["at", "who"]
    assert [column.key for column in shown_columns(DEFINITION, ListQuery(columns=("who", "from")))] == [
        "who",
        "from",
    ]


def test_a_typed_text_is_filtered_as_it_is_stored() -> None:
    list_query = read_query(DEFINITION, {"actor": "  Google.COM\x00 "})
    assert list_query == ListQuery(filters={"actor": "google.com"})
    (clause,) = conditions(DEFINITION, list_query)
    assert clause.right.value == "google.com"
    assert read_query(DEFINITION, {"actor": " \ud800 "}) == ListQuery()


def test_days_begin_and_end_at_midnight_in_nairobi() -> None:
    span = read_query(DEFINITION, {"at-from": "2026-11-20", "at-to": "2026-11-20"})
    begins, ends = (str(clause.right.value) for clause in conditions(DEFINITION, span))
    assert begins == "2026-11-20 00:00:00+03:00"
    assert ends == "2026-11-21 00:00:00+03:00"


def test_every_word_of_a_search_has_to_be_found() -> None:
    (clause,) = conditions(DEFINITION, read_query(DEFINITION, {"q": " Amina  Otieno "}))
    compiled_clause = clause.compile(compile_kwargs={"literal_binds": True})
    assert str(compiled_clause).count(" AND ") == 1
    assert "'%' || 'amina' || '%'" in str(compiled_clause)
    assert "'%' || 'otieno' || '%'" in str(compiled_clause)


def test_a_reference_is_found_also_without_its_dash() -> None:
    (clause,) = conditions(DEFINITION, read_query(DEFINITION, {"q": "BK7F3K9Q"}))
    compiled_clause = str(clause.compile(compile_kwargs={"literal_binds": True}))
    assert "'%' || 'bk7f3k9q' || '%'" in compiled_clause
    assert "'%' || 'bk-7f3k9q' || '%'" in compiled_clause


def compiled(search: Search, words: str) -> str:
    """Return the SQL condition for these words."""
    return str(search(search_words(words)).compile(compile_kwargs={"literal_binds": True}))


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        ("bk-7f3k9q", "audit_entries.reference = 'BK-7F3K9Q'"),
        (" BK\u20117F3K9Q ", "audit_entries.reference = 'BK-7F3K9Q'"),
        ("Amina@Example.co.ke", "lower(audit_entries.address) = 'amina@example.co.ke'"),
        ("+254 712 345 678", "audit_entries.kind = '+254712345678'"),
    ],
)
def test_what_is_whole_is_looked_up_in_its_own_column(words: str, condition: str) -> None:
    everywhere, email = col(AuditEntry.detail), col(AuditEntry.address)
    search = search_text_in(
        everywhere, reference=col(AuditEntry.reference), email=email, phone=col(AuditEntry.kind)
    )
    assert compiled(search, words) == condition
    assert "LIKE" in compiled(search_text_in(everywhere), words)


def test_what_is_whole_and_other_words_are_found_together() -> None:
    statement = compiled(
        search_text_in(col(AuditEntry.detail), reference=col(AuditEntry.reference)), "amina BK-7F3K9Q"
    )
    assert "'amina'" in statement
    assert " AND audit_entries.reference = 'BK-7F3K9Q'" in statement


def test_a_search_without_a_word_leaves_nothing_out() -> None:
    assert conditions(DEFINITION, read_query(DEFINITION, {"q": "  "})) == []


def test_an_excerpt_is_one_short_line() -> None:
    assert excerpt("One\n\ntwo", 60) == "One two"
    assert len(excerpt("word " * 100, 60)) <= 60
    assert excerpt("word " * 100, 60).endswith("…")
