"""A file for a spreadsheet carries words, never formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.staff.export import harmless


@pytest.mark.parametrize(
    "typed", ["=1+1", "+254712345678", "-2", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x")']
)
def test_what_a_spreadsheet_would_calculate_begins_with_an_apostrophe(typed: str) -> None:
    assert harmless(typed) == f"'{typed}"


@given(st.text())
def test_no_cell_begins_like_a_formula_and_all_words_stay(typed: str) -> None:
    assert not harmless(typed).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert harmless(typed).endswith(typed)
