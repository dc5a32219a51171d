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
        ("EN-CAGSGK", "EN-CAG5GK"),
        ("ENCAGSGK2", "EN-CAG5GK"),
        ("CAGSGK", "EN-CAG5GK"),
        ("ENZ7BKUQSUSAN", "EN-278KVQ"),
        ("TK36PTKAMAU", "EN-TK36PT"),
        ("KAMAUTK36PT", "EN-TK36PT"),
        ("TK3BPTKAMAU", "EN-TK38PT"),
        ("RENT", ""),
        ("KAMAUWANJIRU", ""),
        ("0722345678", ""),
    ],
)
def test_an_account_number_names_an_order_also_beside_other_words(account: str, named: str) -> None:
    named_references = find_named_references(account)
    assert (named in named_references) if named else named_references == ()
