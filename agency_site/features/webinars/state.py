"""The state of a webinar's page."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from agency_site import clock
from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.content import webinars
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.rules import WebinarBegun, WebinarCancelled, WebinarFull
from agency_site.features.webinars.usecases import (
    find_new_token,
    is_full,
    register,
)
from agency_site.form_input import read_form
from agency_site.ui.form_result import FormResult
from agency_site.visits.cookie import parse_origin
from agency_site.visits.rules import Origin

FULL, BEGUN, CANCELLED = "full", "begun", "cancelled"
"""Reasons why registration is closed."""
THANKS = "Your seat is reserved"


class RegistrationForm(FormResult, rx.State):
    """The form on a webinar's page."""

    webinar: rx.Field[str] = rx.field("")
    """Id of the webinar whose form this is."""
    closed: rx.Field[str] = rx.field("")

    @rx.event
    async def open_form(self) -> None:
        await self._open(self._find_path_end())

    def _find_path_end(self) -> str:
        return self.router.url.path.rstrip("/").rpartition("/")[2].lower()

    async def _open(self, webinar: str) -> None:
        self.webinar, self.closed = webinar, await _find_closing_reason(webinar)

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        self.webinar = self._find_path_end()
        await self._register(
            form, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie)
        )
        self.answers += 1

    async def _register(
        self, form: Mapping[str, Any], address: str, admission: Admission, origin: Origin
    ) -> str:
        """Register, or show errors beside the entered values. Return the token of the private page if the registration is new."""
        try:
            await admission(Form.WEBINAR_REGISTRATION, form, address)
            request = read_form(RegistrationRequest, form).from_visit(origin)
            async with session_scope() as session:
                record = await register(session, request)
                token = await find_new_token(session, request, record)
        except InputRejected as rejected:
            self._show_errors(rejected)
            self.failure = self.errors.get("webinar", self.failure)
        except (WebinarBegun, WebinarCancelled, WebinarFull) as refused:
            self._show_errors(refused)
            self.closed = await _find_closing_reason(self.webinar)
        else:
            self._show_thanks(f"{THANKS}, {record.fullname}.")
            return token
        return ""


async def _find_closing_reason(webinar_id: str) -> str:
    """Return the reason why registration is closed. Empty while it is open, and for an unknown id."""
    webinar = webinars.find(webinar_id)
    if webinar is None:
        return ""
    if webinar.cancelled:
        return CANCELLED
    if webinar.starts_at <= clock.now():
        return BEGUN
    async with read_scope() as session:
        return FULL if await is_full(session, webinar) else ""
