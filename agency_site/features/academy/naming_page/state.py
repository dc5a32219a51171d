"""State of the page on which the buyer of an order says who learns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.clock import format_moment
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, SiteError
from agency_site.features.academy.naming import OrderPlaces, find_places, name_learners
from agency_site.features.academy.request import email_field, name_field
from agency_site.site.layout.private_link import PrivateLink, last_segment
from agency_site.ui.forms import submitted

SAVED = "saved"
"""In the address to which a posted form leads."""
_SAVED = "Saved. Everybody new gets a mail."


@dataclass
class PlaceFields:
    """One place in the form."""

    number: int
    name_field: str
    email_field: str
    name: str
    email: str
    name_error: str = ""
    email_error: str = ""


class NamingPage(PrivateLink, rx.State):
    """The places of one order, and who takes them."""

    link: rx.Field[str] = rx.field("")
    """Path of the page."""
    order_link: rx.Field[str] = rx.field("")
    course: rx.Field[str] = rx.field("")
    starts: rx.Field[str] = rx.field("")
    deadline: rx.Field[str] = rx.field("")
    """Until when learners can be replaced; empty: until the run is known."""
    is_late: rx.Field[bool] = rx.field(False)
    places: rx.Field[list[PlaceFields]] = rx.field(default_factory=list)
    closed: rx.Field[str] = rx.field("")
    """Why nobody can be named."""
    failure: rx.Field[str] = rx.field("")
    done: rx.Field[str] = rx.field("")
    busy: rx.Field[bool] = rx.field(False)

    @property
    def _token(self) -> str:
        # The page's address ends in a word.
        return last_segment(self.router.url.path.rstrip("/").rpartition("/")[0])

    @rx.event
    async def open_places(self) -> None:
        self._reset_for_another_link()
        await self._open(self._token, self.router.url.query_parameters)

    @rx.event
    def begin(self) -> None:
        """React has mounted the page: a failure belongs to an earlier visit."""
        self.busy, self.failure = False, ""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> Any:
        if self.busy:
            return
        self.busy, self.failure, self.done = True, "", ""
        yield
        try:
            await self._name(submitted(form), self._token, self.router.session.client_ip, admit)
        finally:
            self.busy = False

    async def _open(self, token: str, query: Mapping[str, str]) -> None:
        self.order_link, self.link = f"/order/{token}", f"/order/{token}/learners"
        try:
            await self._load(find_places, token)
        except Conflict as refused:
            self.closed, self.places = refused.message, []
            self.exists = self.loaded = True
        self.done = _SAVED if SAVED in query and not self.closed else ""

    async def _name(self, form: Mapping[str, str], token: str, address: str, admission: Admission) -> None:
        """Store who learns, or show why not; what was typed stays."""
        try:
            await admission(Form.LEARNERS, form, address)
            async with session_scope() as session:
                self._show(await name_learners(session, token, form))
            self.done = _SAVED
        except InputRejected as rejected:
            self.failure = rejected.message
            self._show_typed(form, rejected.by_field())
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self.failure = refused.message

    def _show(self, places: OrderPlaces) -> None:
        course, deadline = places.course, places.changes_until
        self.closed, self.course = "", course.name
        self.starts = f"{format_moment(course.run.starts_at)}, Nairobi time" if course.run else ""
        self.deadline = f"{format_moment(deadline)}, Nairobi time" if deadline else ""
        self.is_late = places.has_deadline_passed
        self.places = [
            PlaceFields(
                one.number,
                name_field(one.number),
                email_field(one.number),
                one.fullname,
                one.email,
            )
            for one in places.learners
        ]

    def _show_typed(self, form: Mapping[str, str], errors: Mapping[str, str]) -> None:
        """Keep what was typed in the places, as the server draws them again."""
        self.places = [
            PlaceFields(
                one.number,
                one.name_field,
                one.email_field,
                form.get(one.name_field, one.name),
                form.get(one.email_field, one.email),
                errors.get(one.name_field, ""),
                errors.get(one.email_field, ""),
            )
            for one in self.places
        ]
