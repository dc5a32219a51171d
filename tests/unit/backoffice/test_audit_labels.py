"""The audit log has labels for actions and links to records."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import agency_site
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.audit_labels import (
    _PAGES,
    _SCREENS,
    action_label,
    action_labels,
    changed_fields,
    record_page,
)
from agency_site.backoffice.audit_log import AUDIT_LOG
from agency_site.backoffice.lists.definition import ListQuery
from agency_site.backoffice.lists.state import lines_of
from agency_site.staff_application import back_office_groups

PACKAGE = Path(agency_site.__file__).parent
RECORDED = re.compile(r'audit\.record(?:_as|_refusal)?\([^"]*"([a-z_]+\.[a-z_]+)"', re.DOTALL)


def _recorded() -> set[str]:
    texts = (path.read_text() for path in PACKAGE.rglob("*.py"))
    return {action for text in texts for call in text.split("await ") for action in RECORDED.findall(call)}


def test_every_action_that_is_named_in_the_code_reads_in_words() -> None:
    actions = _recorded()
    assert {"booking.booked", "issue.sent", "staff.invited", "staff.sign_in_refused"} <= actions
    assert {action for action in actions if re.search(r"[._]", action_label(action))} == set()
    assert {action for action in actions if action not in action_labels()} == set()


def test_an_action_without_words_of_its_own_shows_its_name_in_words() -> None:
    assert action_label("staff.sign_in_failed") == "Staff sign in failed"
    assert action_label("odd") == "Odd"


@pytest.mark.parametrize("page", [*_PAGES.values(), *_SCREENS.values()])
def test_records_lead_to_screens_that_exist(page: str) -> None:
    assert page.partition("?")[0] in {
        screen.path for group in back_office_groups() for screen in group.screens
    }


def test_a_reference_is_part_of_the_address_and_nothing_else() -> None:
    assert record_page("booking", "BK-7F3K9Q") == "/admin/booking?ref=BK-7F3K9Q"
    assert record_page("staff", "a+b&c=d@x.example") == "/admin/staff?q=a%2Bb%26c%3Dd%40x.example"
    assert record_page("special", "2026-12-25") == "/admin/hours"
    assert record_page("person", "PN-1") == ""


def test_changed_fields_are_named_without_their_values() -> None:
    labels = {"name": "Name", "phone": "Phone", "note": "Note"}
    before = {"name": "Njeri", "phone": "+254712345678", "note": ""}
    assert changed_fields(labels, before, before) == ""
    assert changed_fields(labels, before, {"name": "Njeri", "phone": "+254722", "note": "x"}) == "Phone, Note"


def test_in_the_log_the_reference_carries_the_link() -> None:
    entry = AuditEntry(
        id=7, at=datetime(2026, 11, 22, 12, tzinfo=UTC), actor="amina@mwanga.example", action="booking.moved",
        kind="booking", reference="BK-7F3K9Q", detail="Mon 11:00 → Tue 11:00",
    )  # fmt: skip
    (line,) = lines_of(AUDIT_LOG, ListQuery(), [entry])
    cells = {field.label: (field.text, field.href) for field in line.fields}
    assert cells["Record"] == ("BK-7F3K9Q", "/admin/booking?ref=BK-7F3K9Q")
    assert cells["What"] == ("Booking moved", "")
    assert cells["What changed"] == ("Mon 11:00 → Tue 11:00", "")
    assert {href for _, href in cells.values()} == {"", "/admin/booking?ref=BK-7F3K9Q"}
