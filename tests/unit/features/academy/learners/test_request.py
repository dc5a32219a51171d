"""Parsing of the forms that name learners or join a waiting list."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.academy.learners.request import (
    LearnerRequest,
    email_field,
    name_field,
    parse_learners,
    reject_repeated,
)
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.form_input import read_form

names = st.sampled_from(["Amina", "Otieno & Sons", "Wanjirũ"])
emails = st.sampled_from(["a@example.com", "B@example.com", "c+d@example.co.ke"])
people = st.dictionaries(st.integers(1, 5), st.none() | st.tuples(names, emails))
anything = st.dictionaries(
    st.text(max_size=8) | st.sampled_from(["name-1", "email-1", "name-2"]), st.text(max_size=40)
)

WAITING = {"fullName": "Amina Otieno", "email": "amina@example.com"}


def list_errors(check: Callable[[], object]) -> list[str]:
    """Return the fields with errors. Empty if there are none."""
    try:
        check()
    except InputRejected as rejected:
        return [error.field for error in rejected.errors]
    return []


@given(people)
def test_complete_entries_are_read_back_and_empty_places_have_no_learner(
    people_entered: dict[int, tuple[str, str] | None],
) -> None:
    form = {}
    for number, person in people_entered.items():
        form[name_field(number)], form[email_field(number)] = person or ("", " ")
    learners = parse_learners(form, range(1, 6)).items()
    assert {number: (row.fullname, row.email) if row else None for number, row in learners} == people_entered


@given(anything, st.integers(0, 3))
def test_any_form_is_read_or_refused_at_fields_of_its_places(form: dict[str, str], places: int) -> None:
    fields = {name(number) for number in range(1, places + 1) for name in (name_field, email_field)}
    errors = list_errors(lambda: parse_learners(form, range(1, places + 1)))
    assert set(errors) <= fields
    assert errors or set(parse_learners(form, range(1, places + 1))) <= set(range(1, places + 1))


def test_a_place_that_the_form_does_not_name_stays_as_it_is() -> None:
    assert parse_learners({"name-2": "Amina", "email-2": "a@example.com"}, range(1, 4)) == {
        2: LearnerRequest(fullname="Amina", email="a@example.com")
    }


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"name-1": "Amina", "email-1": ""}, "email-1"),
        ({"name-1": "", "email-1": "a@example.com"}, "name-1"),
        ({"name-1": "Amina", "email-1": "amina"}, "email-1"),
        ({"name-1": "A" * 200, "email-1": "a@example.com"}, "name-1"),
        ({"email-1": "a@example.com"}, "name-1"),
    ],
)
def test_missing_and_invalid_values_are_reported_at_their_fields(form: dict[str, str], field: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        parse_learners(form, range(1, 2))
    assert set(rejected.value.by_field()) == {field}


@given(st.dictionaries(st.integers(1, 6), st.sampled_from(["", "a@x.example", "A@X.example", "b@x.example"])))
def test_two_places_never_have_one_address(addresses: dict[int, str]) -> None:
    used_addresses = [address.lower() for address in addresses.values() if address]
    assert len(list_errors(lambda: reject_repeated(addresses))) == len(used_addresses) - len(
        set(used_addresses)
    )


@pytest.mark.parametrize("text", ["2", " 2 ", "02", "\uff12"])
def test_the_number_of_places_to_wait_for_is_parsed_in_any_notation(text: str) -> None:
    assert read_form(WaitingRequest, WAITING | {"places": text}).places == 2


@pytest.mark.parametrize("text", ["0", "11", "-1", "two", "", "0000000011", "00000000199"])
def test_other_numbers_of_places_to_wait_for_are_refused(text: str) -> None:
    assert list_errors(lambda: read_form(WaitingRequest, WAITING | {"places": text})) == ["places"]
