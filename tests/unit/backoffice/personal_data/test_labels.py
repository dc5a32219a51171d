"""Data requests: the person, the reference in the audit log, and records as text."""

import pytest

from agency_site.backoffice.personal_data.data_requests import (
    DataSource,
    SourceRecords,
    parse_person,
    reference_of,
)
from agency_site.backoffice.personal_data.labels import groups_of, other_identifiers, summarize_record
from agency_site.errors import InputRejected
from agency_site.mail.personal_data import Person


async def _none(*_anything: object) -> list[dict[str, object]]:
    return []


async def _zero(*_anything: object) -> int:
    return 0


SOURCE = DataSource("Bookings", _none, _zero, "The time.", {"booking": "/admin/booking?ref="})
RECORD: dict[str, object] = {
    "record": "booking",
    "reference": "BK-7F3K9Q",
    "created_at": "2026-11-20T09:00:00+00:00",
    "email": "amina@example.com",
    "fullname": "Amina",
    "paid": True,
    "left": None,
    "history": [{"at": "2026-11-20T09:00:00+00:00", "note": "Hers", "what": "booked"}],
    "payments": [{"phone": "254712345678", "callbacks": [{"code": 0}]}],
}


def test_a_person_is_meant_by_address_or_number_in_any_spelling() -> None:
    assert parse_person(" Amina@Example.com ", "") == Person("amina@example.com", "")
    assert parse_person("", "0712 345 678") == Person("", "+254712345678")


@pytest.mark.parametrize(
    ("email", "phone", "field"),
    [
        ("", "", "email"),
        ("amina", "", "email"),
        ("@", "", "email"),
        ("a@b\x00", "", "email"),
        ("a\ud83d@b", "", "email"),
        (f"{'a' * 300}@b", "", "email"),
        (None, "", "email"),
        ("", "12", "phone"),
        ("a@b", "7" * 40, "phone"),
    ],
)
def test_an_invalid_person_is_reported_next_to_the_field(email: object, phone: str, field: str) -> None:
    with pytest.raises(InputRejected) as refused:
        parse_person(email, phone)
    assert list(refused.value.by_field()) == [field]


def test_a_person_has_one_reference_that_discloses_nothing() -> None:
    reference = reference_of(Person("amina@example.com", ""))
    assert reference == reference_of(Person("amina@example.com", "+254712345678"))
    assert reference != reference_of(Person("brian@example.com", ""))
    assert "amina" not in reference.lower()


def test_the_reference_cannot_be_computed_without_the_key(configure: object) -> None:
    before = reference_of(Person("amina@example.com", ""))
    configure(secret_key="another key of sufficient length, forty characters")  # type: ignore[operator]
    assert reference_of(Person("amina@example.com", "")) != before


def test_a_record_reads_as_facts_and_parts() -> None:
    record = summarize_record(RECORD, SOURCE.pages, {"/admin/booking"})
    assert (record.title, record.href) == ("Booking BK-7F3K9Q", "/admin/booking?ref=BK-7F3K9Q")
    assert record.gist == "Fri 20 Nov 2026, 12:00"
    own = [(fact.label, fact.text) for fact in record.parts[0].facts]
    assert own == [
        ("Name", "Amina"),
        ("E-mail", "amina@example.com"),
        ("Created at", "Fri 20 Nov 2026, 12:00"),
        ("Paid", "yes"),
    ]
    titles = {part.title: [(fact.label, fact.text) for fact in part.facts] for part in record.parts[1:]}
    assert titles == {
        "History": [("Fri 20 Nov 2026, 12:00", "booked · Hers")],
        "Payments 1": [("Phone", "254712345678")],
        "Payments 1, callbacks 1": [("Code", "0")],
    }


def test_a_record_whose_page_does_not_exist_has_no_link() -> None:
    assert summarize_record(RECORD, SOURCE.pages, {"/admin/bookings"}).href == ""


def test_addresses_and_numbers_besides_the_known_ones_are_named() -> None:
    held = [SourceRecords(SOURCE, [RECORD])]
    assert other_identifiers(held, ["Amina@example.com"]) == ["+254712345678"]
    assert other_identifiers(held, ["amina@example.com", "+254712345678"]) == []
    (group,) = groups_of(held, set())
    assert (group.name, group.count, group.retained_data) == ("Bookings", "1", "The time.")
