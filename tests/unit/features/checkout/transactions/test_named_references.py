"""The orders that an account number may name."""

import pytest

from agency_site.features.checkout.transactions.unassigned import find_named_references


@pytest.mark.parametrize(
    ("account", "named"),
    [
        ("EN-NJFY38", "EN-NJFY38"),
        ("ENNJFY382", "EN-NJFY38"),
        ("NJFY38", "EN-NJFY38"),
        ("ENENNJFY38", "EN-NJFY38"),
        ("ENNJFY38AMINA", "EN-NJFY38"),
        ("RENT", ""),
    ],
)
def test_an_account_number_names_an_order_also_beside_other_words(account: str, named: str) -> None:
    named_references = find_named_references(account)
    assert (named in named_references) if named else named_references == ()
