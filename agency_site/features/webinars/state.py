"""The states of a webinar's page and of a registration's private page."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from agency_site import clock
from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.content import webinars
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound
from agency_site.features.webinars.records import RegistrationRecord
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.rules import RegistrationState, WebinarBegun, WebinarFull
from agency_site.features.webinars.usecases import (
    cancel,
    find_by_token,
    find_token_of_new,
    is_full,
    register,
)
from agency_site.form_input import read_form
from agency_site.site.layout.private_link import PrivateLink, last_segment
from agency_site.ui.form_result import FormResult

FULL, BEGUN = "full", "begun"
"""Why a webinar's list is closed."""
RESERVED, CANCELLED = "reserved", "cancelled"
"""In the address of the private page that a posted form leads to."""
_RESERVED, _THANKS = "Reserved", "Your seat is reserved"
_GIVEN_BACK = "Your seat is given back. Thank you for telling us."


class RegistrationForm(FormResult, rx.State):
    """The form on a webinar's page."""

    webinar: rx.Field[str] = rx.field("")
    """Id of the webinar that the rest belongs to."""
    closed: rx.Field[str] = rx.field("")

    @rx.event
    async def open_form(self) -> None:
        await self._open(last_segment(self.router.url.path).lower())

    async def _open(self, webinar: str) -> None:
        self.webinar, self.closed = webinar, await _find_closing_reason(webinar)

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        self.webinar = last_segment(self.router.url.path).lower()
        await self._register(form, self.router.session.client_ip, admit)
        self.answers += 1

    async def _register(self, form: Mapping[str, Any], address: str, admission: Admission) -> str:
        """Register; what was typed stays unless it worked. Returns the token of the private page for whom it was made for."""
        try:
            await admission(Form.WEBINAR_REGISTRATION, form, address)
            request = read_form(RegistrationRequest, form)
            async with session_scope() as session:
                record = await register(session, request)
                token = await find_token_of_new(session, request, record)
        except InputRejected as rejected:
            self._show_errors(rejected)
            self.failure = self.errors.get("webinar", self.failure)
        except (WebinarBegun, WebinarFull) as refused:
            self._show_errors(refused)
            self.closed = await _find_closing_reason(self.webinar)
        else:
            self._show_thanks(f"{_THANKS}, {record.fullname}.")
            return token
        return ""


class OwnRegistration(PrivateLink, rx.State):
    """The private page of one registration."""

    reference: rx.Field[str] = rx.field("")
    fullname: rx.Field[str] = rx.field("")
    title: rx.Field[str] = rx.field("")
    href: rx.Field[str] = rx.field("")
    when: rx.Field[str] = rx.field("")
    status: rx.Field[str] = rx.field("")
    room: rx.Field[str] = rx.field("")
    recording: rx.Field[str] = rx.field("")
    cancellable: rx.Field[bool] = rx.field(False)
    link: rx.Field[str] = rx.field("")
    """Path of the page."""
    failure: rx.Field[str] = rx.field("")
    done: rx.Field[str] = rx.field("")

    @rx.event
    async def open_registration(self) -> None:
        self.reset()
        await self._open(self._token, self.router.url.query_parameters)

    @rx.event
    async def cancel(self) -> None:
        await self._cancel(self._token)

    async def _open(self, token: str, query: Mapping[str, str]) -> None:
        """Show the registration, and what the form did that led here with its name in the address."""
        await self._load(find_by_token, token)
        self.link = f"/registration/{token}"
        done = {RESERVED: f"{_THANKS}."} if self.status == _RESERVED else {CANCELLED: _GIVEN_BACK}
        self.done = next((text for name, text in done.items() if name in query), "")

    async def _cancel(self, token: str) -> None:
        self.failure = self.done = ""
        try:
            async with session_scope() as session:
                self._show(await cancel(session, token))
            self.done = _GIVEN_BACK
        except NotFound:
            self.exists = False
        except WebinarBegun as refused:
            self.failure = refused.message

    def _show(self, record: RegistrationRecord) -> None:
        webinar, registered = webinars.find(record.webinar), record.state is RegistrationState.REGISTERED
        self.reference, self.fullname = record.reference, record.fullname
        self.status = _RESERVED if registered else "Given back"
        if webinar is None:
            self.title, self.cancellable = record.webinar, registered
            return
        self.title, self.href, self.recording = webinar.title, webinar.href, webinar.recording
        self.when = f"{webinar.day}, {webinar.clock_time}, {webinar.duration}"
        self.cancellable = registered and webinar.starts_at > clock.now()
        self.room = webinar.room if registered and webinar.ends_at > clock.now() else ""


async def _find_closing_reason(webinar_id: str) -> str:
    """Why the list of that webinar is closed; empty while it is open, and for an unknown id."""
    webinar = webinars.find(webinar_id)
    if webinar is None:
        return ""
    if webinar.starts_at <= clock.now():
        return BEGUN
    async with read_scope() as session:
        return FULL if await is_full(session, webinar) else ""
