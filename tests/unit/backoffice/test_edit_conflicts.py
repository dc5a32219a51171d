"""Edits of two editors are merged; only fields that both changed differently are disputed."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from agency_site.backoffice.edit_conflicts import Difference, Merge

LABELS = {"name": "Name", "phone": "Phone", "note": "Note"}
BEFORE = {"name": "Njeri", "phone": "1", "note": ""}
RECORDS = st.fixed_dictionaries({name: st.sampled_from(["", "a", "b"]) for name in LABELS})


def test_a_field_that_only_one_editor_changed_is_merged() -> None:
    merge = Merge(BEFORE, BEFORE | {"phone": "2"}, BEFORE | {"note": "Calls back"})
    assert merge.disputed(LABELS) == []
    assert merge.with_own() == {"name": "Njeri", "phone": "2", "note": "Calls back"}
    assert merge.with_theirs() == merge.with_own()


def test_what_both_changed_is_asked_about_and_the_rest_is_merged_either_way() -> None:
    merge = Merge(BEFORE, BEFORE | {"phone": "2", "name": "A"}, BEFORE | {"note": "x", "name": "B"})
    assert merge.disputed(LABELS) == [Difference("Name", "A", "B")]
    assert merge.with_own() == {"name": "B", "phone": "2", "note": "x"}
    assert merge.with_theirs() == {"name": "A", "phone": "2", "note": "x"}


def test_the_same_change_by_both_is_no_dispute() -> None:
    merge = Merge(BEFORE, BEFORE | {"name": "A"}, BEFORE | {"name": "A"})
    assert merge.disputed(LABELS) == []
    assert merge.with_own() == BEFORE | {"name": "A"}


@given(RECORDS, RECORDS, RECORDS)
def test_no_change_of_a_single_editor_is_lost(
    before: Mapping[str, str], theirs: Mapping[str, str], own: Mapping[str, str]
) -> None:
    merge = Merge(before, theirs, own)
    disputed = {difference.label for difference in merge.disputed(LABELS)}
    for name, label in LABELS.items():
        changed = {version[name] for version in (theirs, own)} - {before[name]}
        assert (label in disputed) == (len(changed) == 2)
        wanted = {own[name]} if label in disputed else changed or {before[name]}
        assert merge.with_own()[name] in wanted
