"""Parsing of the forms of staff about course runs."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.academy.planning.staff_request import MaterialRequest, RunRequest
from agency_site.form_input import read_form
from tests.example_records import FREE_COURSE, PAID_COURSE

FORM = {
    "course_slug": PAID_COURSE.slug,
    "starts_at": "2027-01-12T18:30",
    "trainer": "Otieno Wafula",
    "room": "https://meet.example.com/ads",
    "capacity": "4",
    "price": "12,500",
    "enrol_from": "2026-12-01T08:00",
    "enrol_until": "2027-01-13T18:30",
}
MATERIAL = {"kind": "material", "title": "Handout", "address": ""}


def test_the_form_of_a_run_is_parsed() -> None:
    run = read_form(RunRequest, FORM)
    assert (run.capacity, run.price, run.trainer) == (4, 12_500, "Otieno Wafula")
    assert run.starts_at.isoformat() == "2027-01-12T18:30:00+03:00"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("course_slug", "no-such-course"), ("starts_at", "soon"), ("capacity", "0"), ("capacity", "-3"), ("price", "free"),
        ("room", "javascript:alert(1)"), ("enrol_until", "2027-13-01T10:00"), ("trainer", "x" * 121),
    ],
)  # fmt: skip
def test_invalid_values_are_reported_at_their_fields(field: str, value: str) -> None:
    with pytest.raises(InputRejected) as refused:
        read_form(RunRequest, {**FORM, field: value})
    assert [error.field for error in refused.value.errors] == [field]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"enrol_from": "2027-01-13T18:30"}, "enrol_until"),
        ({"enrol_from": "2027-01-12T18:30", "enrol_until": ""}, "enrol_until"),
        ({"course_slug": FREE_COURSE.slug}, "price"),
        ({"price": "12,50"}, "price"),
    ],
)
def test_contradictions_between_fields_are_reported_at_one_field(value: dict[str, str], field: str) -> None:
    with pytest.raises(InputRejected) as refused:
        read_form(RunRequest, {**FORM, **value})
    assert [error.field for error in refused.value.errors] == [field]


@given(st.dictionaries(st.sampled_from(sorted(FORM)), st.text() | st.none() | st.integers()))
def test_any_input_is_parsed_or_rejected(value: dict[str, object]) -> None:
    with suppress(InputRejected):
        read_form(RunRequest, value)


@pytest.mark.parametrize(
    "address",
    [
        "https://video.example.com/1", "https://drive.google.com/drive/folders/a?b=c%40d", "https://münchen.de/x",
        "https://8.8.8.8/a", "https://files.example.co.ke:8443/a", "https://example.com./a", "HTTPS://Files.Example.com/a@b",
    ],
)  # fmt: skip
def test_a_public_address_is_accepted(address: str) -> None:
    assert read_form(MaterialRequest, MATERIAL | {"address": address}).address == address
    assert read_form(RunRequest, FORM | {"room": address}).room == address


@pytest.mark.parametrize(
    "address",
    [
        "https://user:pw@evil.example/", "https://user@evil.example/", "https://@evil.example/", "https://localhost:4400/admin",
        "https://LOCALHOST/", "https://app.localhost/", "https://169.254.169.254/latest", "https://127.0.0.1/", "https://10.0.0.7/a",
        "https://192.168.1.1/", "https://172.16.0.1/", "https://[::1]/", "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/",
        "https://127.1/", "https://2130706433/", "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://0.0.0.0/", "https://intranet/",
        "https://nas.local/a", "https://db.internal/", "https://router.lan/", "https://printer.home.arpa/", "https://\uff11\uff12\uff17.0.0.1/",
        "https://evil.example\\@good.example/", "https://good.example/a b", "http://good.example/", "ftp://good.example/",
        "https://", "https:///a", "https://good.example:99999/", "//good.example/a", "javascript:alert(1)", "https://-.example/",
    ],
)  # fmt: skip
def test_an_address_with_a_password_or_on_a_private_network_is_refused(address: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(MaterialRequest, MATERIAL | {"address": address})
    assert [error.field for error in rejected.value.errors] == ["address"]
    with pytest.raises(InputRejected) as rejected:
        read_form(RunRequest, FORM | {"room": address})
    assert [error.field for error in rejected.value.errors] == ["room"]
