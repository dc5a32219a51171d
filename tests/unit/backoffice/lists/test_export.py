"""A file for a spreadsheet carries words, never formulas."""

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.backoffice.lists.definition import Cell, moment_cell, number_cell
from agency_site.backoffice.lists.export import harmless, in_file


@pytest.mark.parametrize(
    "typed",
    ["=1+1", "+254712345678", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x")', "\uff1d1+1",
        "\uff0b1", "\uff0d1", "\uff20SUM(A1)", "\u3000\uff1d1", "  =1", "\ufeff=1", "\u200b=1", "\tplain"],
)  # fmt: skip
def test_what_a_spreadsheet_would_calculate_begins_with_an_apostrophe(typed: str) -> None:
    assert harmless(typed) == f"'{typed}"


@given(st.text())
def test_no_cell_begins_like_a_formula_and_all_words_stay(typed: str) -> None:
    assert not unicodedata.normalize("NFKC", harmless(typed).strip()).startswith(("=", "+", "-", "@"))
    assert not harmless(typed).startswith(("\t", "\r", "\n"))
    assert harmless(typed).endswith(typed)


def test_a_file_holds_plain_numbers_and_moments_with_their_zone() -> None:
    assert in_file(Cell("KES 15,000", "whole", 15_000)) == 15_000
    assert in_file(number_cell(-1_200)) == -1_200
    assert in_file(number_cell(None)) == ""
    assert in_file(moment_cell(datetime(2026, 11, 20, 9, tzinfo=UTC))) == "2026-11-20T12:00:00+03:00"
    assert in_file(moment_cell(None)) == ""
    assert in_file(Cell("=1")) == "'=1"
