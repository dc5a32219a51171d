"""The private links of a staff account to its calendar feeds. They are shown once and revoked together."""

from dataclasses import dataclass

import reflex as rx

from agency_site.auth.calendar_links import (
    BOOKINGS_FEED,
    SESSIONS_FEED,
    has_calendar_token,
    make_calendar_token,
    revoke_calendar_token,
)
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.elements import card, small_button, small_note
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Forbidden
from agency_site.settings import settings
from agency_site.ui.sharing import CopyButton


@dataclass(frozen=True)
class _Feed:
    """One feed: its path after the token, and who may read it."""

    label: str
    path: str
    permissions: frozenset[Permission]


_FEEDS = (
    _Feed("All bookings", ".ics", BOOKINGS_FEED),
    _Feed("Your consultations", "/consultations.ics", BOOKINGS_FEED),
    _Feed("Your course sessions", "/sessions.ics", SESSIONS_FEED),
)
"""Your own are those of the person, or of the trainer, with the account's e-mail address."""


@dataclass
class FeedAddress:
    """The address of one feed."""

    label: str
    address: str


def _readable_feeds(who: Staff) -> list[_Feed]:
    return [feed for feed in _FEEDS if all(map(who.has_permission, feed.permissions))]


class CalendarFeeds(StaffState):
    """The links of the reader's account."""

    is_offered: rx.Field[bool] = rx.field(False)
    """The role may read one of the feeds."""
    has_link: rx.Field[bool] = rx.field(False)
    addresses: rx.Field[list[FeedAddress]] = rx.field(default_factory=list)
    """Filled only just after the links were created, because only the hash of their token is stored."""

    @staff_page(Permission.ENTER_ACCOUNT)
    async def open_feeds(self, who: Staff) -> None:
        self.addresses, self.is_offered = [], bool(_readable_feeds(who))
        async with read_scope() as session:
            self.has_link = await has_calendar_token(session, who.account_id)

    @staff_event(Permission.ENTER)
    async def make_link(self, who: Staff) -> None:
        """Create links. The previous ones stop working."""
        feeds = _readable_feeds(who)
        if not feeds:
            raise Forbidden("Your role has no calendar feed.")
        async with session_scope() as session:
            token = await make_calendar_token(session, who)
        self.has_link = True
        self.addresses = [
            FeedAddress(feed.label, f"{settings().site_url}/calendar/{token}{feed.path}") for feed in feeds
        ]

    @staff_event(Permission.ENTER)
    async def revoke_link(self, who: Staff) -> None:
        async with session_scope() as session:
            await revoke_calendar_token(session, who)
        self.addresses, self.has_link = [], False
        self._say("Calendar links revoked.")


def feeds_panel() -> rx.Component:
    """The part of a page that creates and revokes the links; empty for a role without feeds."""
    return rx.cond(CalendarFeeds.is_offered, _feeds_card())


def _feeds_card() -> rx.Component:
    return card(
        "Your calendar feeds",
        small_note(
            "Private links for your own calendar program, such as Google Calendar, Outlook or your phone's. They update "
            "themselves. Keep them private: they open without a sign-in.",
        ),
        rx.foreach(CalendarFeeds.addresses, _address_field),
        rx.el.div(
            _create_button(),
            rx.cond(
                CalendarFeeds.has_link,
                small_button("Revoke links", tone="ghost", on_click=CalendarFeeds.revoke_link),
            ),
            class_name="office-row bookings-feed-row",
        ),
        rx.cond(
            CalendarFeeds.has_link & (CalendarFeeds.addresses.length() == 0),
            small_note("You have links. New ones replace them.", role="status"),
        ),
    )


def _create_button() -> rx.Component:
    return rx.cond(
        CalendarFeeds.has_link,
        small_button("Create new links", tone="ghost", on_click=CalendarFeeds.make_link),
        small_button("Create links", tone="ink", on_click=CalendarFeeds.make_link),
    )


def _address_field(feed: FeedAddress, place: rx.Var[int]) -> rx.Component:
    identity = "feed-link-" + place.to_string()
    return rx.el.div(
        rx.el.label(feed.label, " (shown only once)", html_for=identity, class_name="field-label"),
        rx.el.input(
            custom_attrs={"id": identity},
            value=feed.address,
            read_only=True,
            class_name="input bookings-link",
        ),
        CopyButton.create(text=feed.address, label="Copy", class_name="office-quiet"),
        key=feed.label,
        class_name="bookings-feed",
    )
