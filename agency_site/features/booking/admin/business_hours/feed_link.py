"""The private link of a staff account to the calendar feed. It is shown once and can be revoked."""

import reflex as rx

from agency_site.auth.calendar_links import has_calendar_token, make_calendar_token, revoke_calendar_token
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.elements import card, small_button, small_note
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.engine import read_scope, session_scope
from agency_site.settings import settings
from agency_site.ui.sharing import CopyButton


class CalendarFeedLink(StaffState):
    has_link: rx.Field[bool] = rx.field(False)
    link: rx.Field[str] = rx.field("")
    """The address, only just after it was created, because only its hash is stored."""

    @staff_page(Permission.SEE_BOOKINGS)
    async def open_feed(self, who: Staff) -> None:
        self.link = ""
        async with read_scope() as session:
            self.has_link = await has_calendar_token(session, who.account_id)

    @staff_event(Permission.EXPORT)
    async def make_link(self, who: Staff) -> None:
        """Create a link. The previous one stops working."""
        async with session_scope() as session:
            token = await make_calendar_token(session, who)
        self.link, self.has_link = f"{settings().site_url}/calendar/{token}.ics", True

    @staff_event(Permission.SEE_BOOKINGS)
    async def revoke_link(self, who: Staff) -> None:
        async with session_scope() as session:
            await revoke_calendar_token(session, who)
        self.link, self.has_link = "", False
        self._say("Calendar link revoked.")


def feed_panel() -> rx.Component:
    return card(
        "Your calendar feed",
        small_note(
            "A private link for your own calendar program, such as Google Calendar, Outlook or your phone's. It shows all "
            "confirmed bookings and updates itself. Keep the link private: it opens without a sign-in.",
        ),
        rx.cond(CalendarFeedLink.link != "", _new_link_field()),
        rx.el.div(
            rx.cond(
                has_permission(Permission.EXPORT),
                _create_button(),
                small_note("Your role has no access to exports, so you cannot create a link."),
            ),
            rx.cond(
                CalendarFeedLink.has_link,
                small_button("Revoke link", tone="ghost", on_click=CalendarFeedLink.revoke_link),
            ),
            class_name="office-row bookings-feed-row",
        ),
        rx.cond(
            CalendarFeedLink.has_link & (CalendarFeedLink.link == ""),
            small_note("You have a link. A new link replaces it.", role="status"),
        ),
    )


def _create_button() -> rx.Component:
    return rx.cond(
        CalendarFeedLink.has_link,
        small_button("Create new link", tone="ghost", on_click=CalendarFeedLink.make_link),
        small_button("Create link", tone="ink", on_click=CalendarFeedLink.make_link),
    )


def _new_link_field() -> rx.Component:
    return rx.el.div(
        rx.el.label("Your link (shown only once)", html_for="feed-link", class_name="field-label"),
        rx.el.input(
            id="feed-link", value=CalendarFeedLink.link, read_only=True, class_name="input bookings-link"
        ),
        CopyButton.create(text=CalendarFeedLink.link, label="Copy", class_name="office-quiet"),
        class_name="bookings-feed",
    )
