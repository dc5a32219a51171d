"""Every column of every table that may name a visitor is classified: exported, erased, both or neither."""

import pytest
from sqlmodel import SQLModel

from agency_site.db.event_log import EventRow
from agency_site.db.personal_data import ClassifiedColumns, PersonalData
from agency_site.db.record_versions import Versioned
from agency_site.db.tables import metadata
from agency_site.features.academy import personal_data as academy
from agency_site.features.booking.personal_data import BOOKINGS, CONSULTANTS, NOTES
from agency_site.features.checkout import personal_data as checkout
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.comments.personal_data import COMMENTS
from agency_site.features.contact.personal_data import ENQUIRIES
from agency_site.features.newsletter.personal_data import OPT_INS, SUBSCRIBERS
from agency_site.features.webinars.personal_data import REGISTRATIONS
from agency_site.mail import personal_data as mail
from agency_site.notices.personal_data import HELD_MAILS
from agency_site.sms import personal_data as texts

DATA: tuple[PersonalData[Versioned], ...] = (
    BOOKINGS,
    COMMENTS,
    ENQUIRIES,
    academy.LEARNERS,
    academy.WAITING,
    REGISTRATIONS,
    SUBSCRIBERS,
)  # type: ignore[assignment]
DECLARED: tuple[ClassifiedColumns, ...] = (
    *DATA,
    NOTES,
    CONSULTANTS,
    OPT_INS,
    *academy.CLASSIFIED,
    *checkout.CLASSIFIED,
    mail.MESSAGES,
    mail.CONFIRMED_ADDRESSES,
    HELD_MAILS,
    texts.MESSAGES,
    texts.NUMBERS,
    texts.EARLY_REPORTS,
    texts.REPLIES,
    texts.SHORT_LINKS,
)
STAFF = {
    "audit_entries", "back_office_settings", "staff_accounts", "staff_links", "staff_recovery_codes",
    "staff_saved_views", "staff_sessions", "staff_sign_in_attempts", "staff_submissions",
}  # fmt: skip
"""Tables of staff; `backoffice/personal_data` searches saved views itself."""
WITHOUT_VISITORS = {
    "checked_backups", "content_entries", "content_events", "course_run_events", "course_run_materials", "course_run_messages",
    "course_runs", "course_sessions", "picture_files", "pictures",
    "busy_calendars", "busy_times",
    "blackouts", "booking_policy_overrides", "mpesa_query_slots", "mpesa_tokens", "newsletter_deliveries",
    "newsletter_issues", "notice_channels",
    "newsletter_suppressions", "outbox_shared_bodies", "page_views", "server_processes", "schedule_exceptions",
}  # fmt: skip
"""No column names a visitor; a suppression is a keyed hash that is kept on purpose."""


def groups(declared: ClassifiedColumns) -> list[str]:
    return [*declared.personal, *declared.retained, *declared.secret, *declared.internal]


def columns(table: type[SQLModel]) -> list[str]:
    return list(metadata.tables[str(table.__tablename__)].columns.keys())


@pytest.mark.parametrize("declared", DECLARED, ids=lambda data: data.table.__name__)
def test_every_column_is_in_exactly_one_group(declared: ClassifiedColumns) -> None:
    assert sorted(groups(declared)) == sorted(columns(declared.table))


@pytest.mark.parametrize("data", DATA, ids=lambda data: data.record)
def test_the_texts_of_people_in_events_are_erased(data: PersonalData[Versioned]) -> None:
    if data.events is None:
        return
    plain = {*EventRow.model_fields, data.events.record_column, "what", "before", "after", "message_id"}
    assert set(columns(data.events)) - plain == set(data.event_words)


@pytest.mark.parametrize("table", [*(data.table for data in DATA), Order], ids=lambda table: table.__name__)
def test_a_person_is_found_by_indexes(table: type[SQLModel]) -> None:
    name = str(table.__tablename__)
    indexes = {str(index.name) for index in metadata.tables[name].indexes}
    wanted = {"email": f"ix_{name}_lower_email", "phone": f"ix_{name}_phone"}
    assert {index for column, index in wanted.items() if column in columns(table)} <= indexes


def test_every_table_is_declared() -> None:
    events = {str(data.events.__tablename__) for data in DATA if data.events}
    declared = {str(data.table.__tablename__) for data in DECLARED}
    assert set(metadata.tables) == declared | events | STAFF | WITHOUT_VISITORS
