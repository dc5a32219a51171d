"""States of the form that joins a waiting list, and of the private page of who has joined."""

from collections.abc import Mapping
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.clock import format_moment
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import session_scope
from agency_site.errors import NotFound, SiteError
from agency_site.features.academy.records import RunRecord
from agency_site.features.academy.request import WaitingRequest
from agency_site.features.academy.rules import RunStatus, WaitingState
from agency_site.features.academy.waiting_list import (
    WaitingView,
    confirm,
    find_closing_reason,
    find_entry,
    find_list,
    join,
    leave,
)
from agency_site.form_input import read_form
from agency_site.site.layout.private_link import PrivateLink
from agency_site.ui.form_result import FormResult
from agency_site.ui.forms import submitted

JOINED, CONFIRMED, LEFT = "joined", "confirmed", "left"
"""In the addresses to which the posted forms lead."""
_THANKS = "Please confirm your e-mail address."
_MAIL_COMES = (
    "An e-mail is on its way to you. You are on the waiting list once you have opened its link and confirmed."
)
_CONFIRMED = "Thank you: you are on the waiting list now."
_LEFT = "You are not on the waiting list any more."
_CANCELLED = "This course run is cancelled, so nobody waits for a place in it any more."


class WaitingForm(PrivateLink, FormResult, rx.State):
    """The form that joins the waiting list of the run in the address."""

    link: rx.Field[str] = rx.field("")
    """Path of the page."""
    course: rx.Field[str] = rx.field("")
    starts: rx.Field[str] = rx.field("")
    course_link: rx.Field[str] = rx.field("")
    closed: rx.Field[str] = rx.field("")
    """Why nobody can join; empty: everybody can."""

    @rx.event
    async def open_page(self) -> None:
        self._reset_for_another_link()
        await self._open(self._token, self.router.url.query_parameters)

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        await self._join(self._token, submitted(form), self.router.session.client_ip, admit)
        self.answers += 1

    async def _open(self, run: str, query: Mapping[str, str]) -> None:
        self._opened, self.link = run, f"/waiting-list/{run}"
        await self._load(_find_open_list, run)
        if JOINED in query and self.exists and not self.answer:
            self._show_thanks(_THANKS, _MAIL_COMES)

    async def _join(self, run: str, form: Mapping[str, Any], address: str, admission: Admission) -> None:
        """Join the list, or show why not."""
        try:
            await admission(Form.WAITING_LIST, form, address)
            request = read_form(WaitingRequest, form)
            async with session_scope() as session:
                await join(session, run.upper(), request)
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self._show_errors(refused)
            await self._load(_find_open_list, run)
        else:
            self._show_thanks(_THANKS, _MAIL_COMES)

    def _show(self, found: tuple[RunRecord, str]) -> None:
        run, self.closed = found
        course = course_by_slug(run.course_slug)
        self.course, self.course_link = run.course_name, course.path if course else "/academy"
        self.starts = f"{format_moment(run.starts_at)}, Nairobi time"


async def _find_open_list(session: AsyncSession, reference: str) -> tuple[RunRecord, str]:
    run = await find_list(session, reference.upper())
    return run, await find_closing_reason(session, run)


class WaitingPage(PrivateLink, rx.State):
    """What has become of one entry in a waiting list."""

    link: rx.Field[str] = rx.field("")
    """Path of the page."""
    reference: rx.Field[str] = rx.field("")
    fullname: rx.Field[str] = rx.field("")
    course: rx.Field[str] = rx.field("")
    starts: rx.Field[str] = rx.field("")
    heading: rx.Field[str] = rx.field("")
    text: rx.Field[str] = rx.field("")
    place_link: rx.Field[str] = rx.field("")
    """Where the place that is kept is taken; empty: none is."""
    list_link: rx.Field[str] = rx.field("")
    """Where the person can join again; empty: there is no need."""
    places: rx.Field[int] = rx.field(1)
    can_confirm: rx.Field[bool] = rx.field(False)
    can_leave: rx.Field[bool] = rx.field(False)
    failure: rx.Field[str] = rx.field("")
    done: rx.Field[str] = rx.field("")

    @rx.event
    async def open_page(self) -> None:
        self._reset_for_another_link()
        await self._open(self._token, self.router.url.query_parameters)

    @rx.event
    async def confirm(self) -> None:
        await self._confirm(self._token)

    @rx.event
    async def leave(self) -> None:
        await self._leave(self._token)

    async def _open(self, token: str, query: Mapping[str, str]) -> None:
        self._opened, self.link = token, f"/waiting/{token}"
        await self._load(find_entry, token)
        self.done = ""
        if LEFT in query and self.exists and not self.can_leave:
            self.done = _LEFT
        if CONFIRMED in query and self.exists and self.can_leave and not self.can_confirm:
            self.done = _CONFIRMED

    async def _confirm(self, token: str) -> None:
        self.failure = self.done = ""
        try:
            async with session_scope() as session:
                self._show(await confirm(session, token))
            self.done = _CONFIRMED
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self.failure = refused.message

    async def _leave(self, token: str) -> None:
        self.failure = self.done = ""
        try:
            async with session_scope() as session:
                self._show(await leave(session, token))
            self.done = _LEFT
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self.failure = refused.message

    def _show(self, view: WaitingView) -> None:
        entry, run = view.entry, view.run
        self.reference, self.fullname, self.course = entry.reference, entry.fullname, run.course_name
        self.starts = f"{format_moment(run.starts_at)}, Nairobi time"
        self.places = entry.places
        self.can_confirm = entry.state is WaitingState.WAITING and entry.confirmed_at is None
        self.can_leave = entry.state in (WaitingState.WAITING, WaitingState.OFFERED)
        is_offered = entry.state is WaitingState.OFFERED and not view.is_over
        self.place_link = f"/payment?course={run.course_slug}&place={self._opened}" if is_offered else ""
        can_join_again = view.is_over or entry.state is WaitingState.CLOSED
        is_cancelled = run.status is RunStatus.CANCELLED
        self.list_link = f"/waiting-list/{run.reference}" if can_join_again and not is_cancelled else ""
        self.heading, self.text = _describe(view)


def _describe(view: WaitingView) -> tuple[str, str]:
    """Heading and text."""
    entry = view.entry
    if view.run.status is RunStatus.CANCELLED:
        return "This course run is cancelled", _CANCELLED
    until = f"{format_moment(entry.reserved_until)}, Nairobi time" if entry.reserved_until else ""
    kept = "A place was kept for you" if entry.places == 1 else f"{entry.places} places were kept for you"
    if view.is_over:
        return (
            "The time is over",
            f"{kept} until {until}. {'They have' if entry.places > 1 else 'It has'} gone to the next person of the waiting list. "
            "If you still want to come, join the list again.",
        )
    if entry.state is WaitingState.OFFERED and entry.places > 1:
        return (
            f"{entry.places} places are kept for you",
            f"Take them until {until}. After that they go to the next person. You can take fewer.",
        )
    if entry.state is WaitingState.OFFERED:
        return "A place is kept for you", f"Take it until {until}. After that it goes to the next person."
    if entry.state is WaitingState.WAITING and entry.confirmed_at is None:
        return (
            "Please confirm",
            f"You wait for {_count_places(entry.places)} once you have confirmed that this is your e-mail address.",
        )
    if entry.state is WaitingState.TAKEN:
        return (
            "You have a place",
            "You have got your place in this course run. We look forward to seeing you.",
        )
    if entry.state is WaitingState.CLOSED:
        return "You are not on the waiting list", "You have left the list, or we have taken you off it."
    if entry.order_id:
        return (
            "You are on the waiting list",
            "You have paid already: as soon as there are places, you have them, and get a mail.",
        )
    return (
        "You are on the waiting list",
        f"You are number {view.position}, and wait for {_count_places(entry.places)}. As soon as it is your turn we keep "
        f"{'it' if entry.places == 1 else 'them'} for you, and send you a link by e-mail.",
    )


def _count_places(places: int) -> str:
    return "a place" if places == 1 else f"{places} places together"
