"""What staff type about course runs."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.academy.staff_request import RunRequest
from agency_site.form_input import read_form

FORM = {
    "course_slug": "google-ads",
    "starts_at": "2027-01-12T18:30",
    "trainer": "Otieno Wafula",
    "room": "https://meet.example.com/ads",
    "capacity": "4",
    "price": "12,500",
    "enrol_from": "2026-12-01T08:00",
    "enrol_until": "2027-01-13T18:30",
}


def test_a_run_is_read_as_it_is_typed() -> None:
    run = read_form(RunRequest, FORM)
    assert (run.capacity, run.price, run.trainer) == (4, 12_500, "Otieno Wafula")
    assert run.starts_at.isoformat() == "2027-01-12T18:30:00+03:00"


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("course_slug", "no-such-course"), ("starts_at", "soon"), ("capacity", "0"), ("capacity", "-3"), ("price", "free"),
        ("room", "javascript:alert(1)"), ("enrol_until", "2027-13-01T10:00"), ("trainer", "x" * 121),
    ],
)  # fmt: skip
def test_what_staff_type_wrong_is_named(field: str, typed: str) -> None:
    with pytest.raises(InputRejected) as refused:
        read_form(RunRequest, {**FORM, field: typed})
    assert [one.field for one in refused.value.errors] == [field]


@given(st.dictionaries(st.sampled_from(sorted(FORM)), st.text() | st.none() | st.integers()))
def test_any_input_is_read_or_refused(typed: dict[str, object]) -> None:
    with suppress(InputRejected):
        read_form(RunRequest, typed)
