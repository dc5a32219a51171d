"""Files for spreadsheets contain text, never formulas."""

import ast
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agency_site
from agency_site.backoffice.lists.definition import Cell, moment_cell, number_cell
from agency_site.backoffice.lists.export import harmless, in_file


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+254712345678", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x")', "\uff1d1+1",
        "\uff0b1", "\uff0d1", "\uff20SUM(A1)", "\u3000\uff1d1", "  =1", "\ufeff=1", "\u200b=1", "\tplain"],
)  # fmt: skip
def test_what_a_spreadsheet_would_calculate_begins_with_an_apostrophe(text: str) -> None:
    assert harmless(text) == f"'{text}"


@given(st.text())
def test_no_cell_begins_like_a_formula_and_all_words_stay(text: str) -> None:
    assert not unicodedata.normalize("NFKC", harmless(text).strip()).startswith(("=", "+", "-", "@"))
    assert not harmless(text).startswith(("\t", "\r", "\n"))
    assert harmless(text).endswith(text)


def test_a_file_holds_plain_numbers_and_moments_that_spreadsheets_read() -> None:
    assert in_file(Cell("KES 15,000", "whole", 15_000)) == 15_000
    assert in_file(number_cell(-1_200)) == -1_200
    assert in_file(number_cell(None)) == ""
    assert in_file(moment_cell(datetime(2026, 11, 20, 9, tzinfo=UTC))) == "2026-11-20 12:00:00"
    assert in_file(moment_cell(None)) == ""
    assert in_file(Cell("=1")) == "'=1"


def test_a_phone_number_from_abroad_is_written_as_people_dial_it() -> None:
    assert in_file(Cell("+442079460958")) == "+44 20 7946 0958"
    assert in_file(Cell("+1+2")) == "'+1+2"
    assert in_file(Cell("+12345678 =1")) == "'+12345678 =1"


def _moment_columns() -> list[str]:
    """Return the source of every column whose cells hold a moment."""
    sources = [path.read_text() for path in Path(agency_site.__file__).parent.rglob("*.py")]
    calls = [
        ast.get_source_segment(source, node) or ""
        for source in sources
        if "moment_cell" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Column"
    ]
    return [call for call in calls if "moment_cell(" in call or ("raw=" in call and "_at" in call)]


@pytest.mark.parametrize("column", _moment_columns())
def test_the_heading_of_a_moment_names_its_clock(column: str) -> None:
    assert "Nairobi" in column
