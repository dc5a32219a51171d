"""The private link with which one's own calendar program follows the bookings: made, shown once, revoked."""

import reflex as rx

from agency_site.auth.calendar_links import has_calendar_token, make_calendar_token, revoke_calendar_token
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.state import Office, may
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.admin.behaviours import CopyText
from agency_site.settings import settings
from agency_site.ui.elements import button


class CalendarFeed(Office):
    """One's own link."""

    has_link: rx.Field[bool] = rx.field(False)
    link: rx.Field[str] = rx.field("")
    """The address, only just after it was made: what is kept of it cannot be read."""

    @staff_page(Right.SEE_BOOKINGS)
    async def open_feed(self, who: Staff) -> None:
        """Tell whether there is one."""
        self.link = ""
        async with read_scope() as session:
            self.has_link = await has_calendar_token(session, who.account_id)

    @staff_event(Right.EXPORT)
    async def make_link(self, who: Staff) -> None:
        """Make a link; the one before stops working."""
        async with session_scope() as session:
            token = await make_calendar_token(session, who)
        self.link, self.has_link = f"{settings().site_url}/calendar/{token}.ics", True

    @staff_event(Right.SEE_BOOKINGS)
    async def revoke_link(self, who: Staff) -> None:
        """End the link."""
        async with session_scope() as session:
            await revoke_calendar_token(session, who)
        self.link, self.has_link = "", False
        self._say("Your calendar link is revoked.")


def feed_panel() -> rx.Component:
    """What the link is for, and what can be done with it."""
    return rx.el.section(
        rx.el.h2("Your calendar feed"),
        rx.el.p(
            "A private link for your own calendar program, such as Google Calendar, Outlook or your phone's. It shows all "
            "confirmed bookings and looks for news by itself. Whoever has the link sees them: keep it to yourself.",
            class_name="office-note",
        ),
        rx.cond(CalendarFeed.link != "", _fresh(), rx.fragment()),
        rx.el.div(
            rx.cond(
                may(Right.EXPORT),
                _make(),
                rx.el.p(
                    "Your role does not cover exports, so there is no link for it.", class_name="office-note"
                ),
            ),
            rx.cond(
                CalendarFeed.has_link,
                button(
                    "Revoke it", tone="ghost", class_name="button-small", on_click=CalendarFeed.revoke_link
                ),
                rx.fragment(),
            ),
            class_name="office-row desk-feed-row",
        ),
        rx.cond(
            CalendarFeed.has_link & (CalendarFeed.link == ""),
            rx.el.p("You have a link. A new one ends it.", class_name="office-note", role="status"),
            rx.fragment(),
        ),
        class_name="office-card",
    )


def _make() -> rx.Component:
    return rx.cond(
        CalendarFeed.has_link,
        button("Make a new link", tone="ghost", class_name="button-small", on_click=CalendarFeed.make_link),
        button("Make my link", tone="ink", class_name="button-small", on_click=CalendarFeed.make_link),
    )


def _fresh() -> rx.Component:
    return rx.el.div(
        rx.el.label("Your link, shown this once", html_for="feed-link", class_name="field-label"),
        rx.el.input(id="feed-link", value=CalendarFeed.link, read_only=True, class_name="input desk-link"),
        CopyText.create("Copy", text=CalendarFeed.link, done="Copied", class_name="office-quiet"),
        class_name="desk-feed",
    )
