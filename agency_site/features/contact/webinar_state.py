"""The states of a webinar's page and of a registration's private page."""

from typing import Any

import reflex as rx

from agency_site import clock
from agency_site.antispam.admission import admit
from agency_site.antispam.rules import Form
from agency_site.content import webinars
from agency_site.content.webinars import Webinar
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound
from agency_site.features.contact.records import RegistrationRecord
from agency_site.features.contact.registrations import (
    WebinarBegun,
    WebinarFull,
    cancel,
    find_by_token,
    is_full,
    register,
)
from agency_site.features.contact.rules import RegistrationState
from agency_site.features.contact.state import EnquiryForm
from agency_site.ui.forms import submitted

FULL, BEGUN = "full", "begun"
"""Why a webinar takes nobody any more."""


class SeatDesk(EnquiryForm, rx.State):
    """The form on a webinar's page."""

    webinar: rx.Field[str] = rx.field("")
    """Id of the webinar that the rest belongs to."""
    closed: rx.Field[str] = rx.field("")

    @rx.event
    async def open_desk(self) -> None:
        """Whether there are seats."""
        self.webinar = _last_part(self.router.url.path)
        await self._look()

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Reserve a seat; what was typed stays unless it worked."""
        self._clear()
        fields = submitted(form)
        self.webinar = fields.get("webinar", "")[:80]
        try:
            await admit(Form.SEAT, form, self.router.session.client_ip)
            async with session_scope() as session:
                taken = await register(session, fields)
        except InputRejected as rejected:
            self._refuse(rejected)
            self.failure = self.errors.get("webinar", self.failure)
            return
        except (WebinarBegun, WebinarFull) as refused:
            self.failure = refused.message
            await self._look()
            return
        self._thank(f"Your seat is reserved, {taken.fullname}.", acknowledged=True)

    async def _look(self) -> None:
        found = webinars.find(self.webinar)
        self.closed = await _closed(found) if found else ""


class OwnSeat(rx.State):
    """The private page of one registration."""

    looked_up: rx.Field[bool] = rx.field(False)
    known: rx.Field[bool] = rx.field(False)
    reference: rx.Field[str] = rx.field("")
    fullname: rx.Field[str] = rx.field("")
    title: rx.Field[str] = rx.field("")
    href: rx.Field[str] = rx.field("")
    when: rx.Field[str] = rx.field("")
    standing: rx.Field[str] = rx.field("")
    room: rx.Field[str] = rx.field("")
    recording: rx.Field[str] = rx.field("")
    held: rx.Field[bool] = rx.field(False)
    """The seat is taken and can still be given back."""
    failure: rx.Field[str] = rx.field("")
    done: rx.Field[str] = rx.field("")

    @rx.event
    async def open_seat(self) -> None:
        """Look the registration up by the link's token; nothing changes."""
        self.reset()
        try:
            async with read_scope() as session:
                self._show(await find_by_token(session, self._token))
        except NotFound:
            self.known = False
        self.looked_up = True

    @rx.event
    async def give_back(self) -> None:
        """Somebody else may have the seat."""
        self.failure = self.done = ""
        try:
            async with session_scope() as session:
                self._show(await cancel(session, self._token))
            self.done = "Your seat is given back. Thank you for telling us."
        except NotFound:
            self.known = False
        except WebinarBegun as refused:
            self.failure = refused.message

    @property
    def _token(self) -> str:
        return _last_part(self.router.url.path)

    def _show(self, one: RegistrationRecord) -> None:
        found, taken = webinars.find(one.webinar), one.state is RegistrationState.REGISTERED
        self.known, self.reference, self.fullname = True, one.reference, one.fullname
        self.standing = "Reserved" if taken else "Given back"
        if found is None:
            self.title, self.held = one.webinar, taken
            return
        self.title, self.href, self.recording = found.title, found.href, found.recording
        self.when = f"{found.day}, {found.clock_time}, {found.duration}"
        self.held = taken and found.starts_at > clock.now()
        self.room = found.room if taken and found.ends_at > clock.now() else ""


async def _closed(webinar: Webinar) -> str:
    if webinar.starts_at <= clock.now():
        return BEGUN
    async with read_scope() as session:
        return FULL if await is_full(session, webinar) else ""


def _last_part(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
