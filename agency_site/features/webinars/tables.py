"""Registrations for webinars."""

from datetime import datetime

from sqlalchemy import Index, Text, text
from sqlmodel import Field

from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.leases import Leased
from agency_site.db.record_versions import Versioned
from agency_site.features.webinars.rules import RegistrationState
from agency_site.visits.tables import WithOrigin, origin_indexes

REACHABLE = text("email <> ''")
"""Condition of rows that were not erased. SQLite uses the partial index only for a query with the same text."""


class WebinarRegistration(Leased, Versioned, WithOrigin, table=True):
    """One person's seat in one webinar. The reminder is due at `due_at`."""

    __tablename__ = "webinar_registrations"
    longest_pause = None
    __table_args__ = (
        # Erased rows have no address left, so several may have an empty one.
        Index(
            "uq_webinar_registrations_person",
            "webinar",
            "email",
            unique=True,
            sqlite_where=REACHABLE,
            postgresql_where=REACHABLE,
        ),
        Index("ix_webinar_registrations_webinar_state_created", "webinar", "state", "created_at", "id"),
        searched_index("webinar_registrations"),
        address_index("webinar_registrations"),
        *origin_indexes("webinar_registrations"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    webinar: str = Field(max_length=80)
    """The webinar's id in content."""
    fullname: str = Field(max_length=120)
    email: str = Field(max_length=254)
    """In lower case, so that one mailbox cannot take two seats; empty once erased."""
    phone: str = Field(default="", max_length=16, index=True)
    state: RegistrationState = choice(RegistrationState, "state", default=RegistrationState.REGISTERED)
    token_seed: str = Field(max_length=64)
    """Random; the private token derives from it and the secret key, which is not in the database."""
    token_hash: str = Field(max_length=64, unique=True)
    announced_event: str = Field(default="", max_length=640)
    """Time and room of the webinar of which the person was notified (`rules.describe_event`); empty if unknown."""
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime
    cancelled_at: datetime | None = None
    cancelled_by: str = Field(default="", max_length=254)
    """`visitor` or the staff account's e-mail address."""
