"""State of a learner's private page."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.clock import format_moment, in_nairobi, now
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import session_scope
from agency_site.db.outages import read_within
from agency_site.errors import NotFound, SiteError
from agency_site.features.academy.certificates import show_name
from agency_site.features.academy.learners import LearnerView, find_learner
from agency_site.features.academy.links import send_link
from agency_site.features.academy.records import MaterialRecord, SessionRecord
from agency_site.features.academy.rules import JOIN_BEFORE, MaterialKind, RunStatus, can_join
from agency_site.site.layout.private_link import PrivateLink
from agency_site.ui.forms import submitted

_PLACED_LATER = "We will write to you with the start date and how to join."
_CANCELLED = "This course run is cancelled. We will write to you about another date."
_ENDED = "This place has ended. If you did not expect this, please call us."
_OVER = "All sessions have taken place. We hope you learned a lot."
_NO_SESSIONS = "The dates of the sessions will be here soon."
_SENT = "A mail with the link is on its way to the address that we have."
_PATIENCE_SECONDS = 5.0
_NAME_SHOWN = "Whoever checks your certificate sees your name now."
_NAME_HIDDEN = "Whoever checks your certificate does not see your name any more."
SENT, NAMED = "sent", "name"
"""In the addresses to which the posted forms lead."""


@dataclass
class SessionItem:
    """One session of the run."""

    number: int
    moment: str
    """ISO 8601, from which the browser makes the visitor's own time."""
    starts: str
    duration: str
    topic: str
    outcome: str
    """Whether it is over, and the learner was there; empty: it lies ahead."""


@dataclass
class MessageItem:
    """A message to everybody in the run."""

    key: str
    at: str
    subject: str
    text: str


@dataclass
class MaterialItem:
    """Something to open."""

    key: str
    title: str
    address: str
    about: str
    """What it is, and since when it is here."""


class LearnerPage(PrivateLink, rx.State):
    """What one learner takes: dates, room, calendar file."""

    link: rx.Field[str] = rx.field("")
    """Path of the page."""
    reference: rx.Field[str] = rx.field("")
    fullname: rx.Field[str] = rx.field("")
    course: rx.Field[str] = rx.field("")
    cover: rx.Field[str] = rx.field("")
    """Path of the picture that belongs to the course."""
    run: rx.Field[str] = rx.field("")
    trainer: rx.Field[str] = rx.field("")
    note: rx.Field[str] = rx.field("")
    """What there is to say where no session lies ahead."""
    sessions: rx.Field[list[SessionItem]] = rx.field(default_factory=list)
    messages: rx.Field[list[MessageItem]] = rx.field(default_factory=list)
    materials: rx.Field[list[MaterialItem]] = rx.field(default_factory=list)
    room: rx.Field[str] = rx.field("")
    """Address of the room, while it is open."""
    next_session: rx.Field[str] = rx.field("")
    """When the next session starts, or the present one has started."""
    next_moment: rx.Field[str] = rx.field("")
    calendar_link: rx.Field[str] = rx.field("")
    certificate: rx.Field[str] = rx.field("")
    """The serial number; empty: there is none, or it is revoked."""
    certificate_short: rx.Field[str] = rx.field("")
    is_name_shown: rx.Field[bool] = rx.field(False)
    """On the public page of the certificate."""
    failure: rx.Field[str] = rx.field("")
    done: rx.Field[str] = rx.field("")
    _changes_in: float = 0
    """Seconds until the next room opens, or the open one closes; 0: nothing lies ahead."""

    @rx.event
    async def open_page(self) -> None:
        self._reset_for_another_link()
        await self._open(self._token, self.router.url.query_parameters)

    @rx.event
    async def poll(self) -> None:
        # While the database is away the page stays as it is.
        if self.exists and self.next_moment:
            await read_within(_PATIENCE_SECONDS, lambda: self._load(find_learner))

    @rx.event
    async def send_again(self, form: dict[str, Any]) -> None:
        await self._send(form, self._token, self.router.session.client_ip, admit)

    @rx.event
    async def change_name_shown(self, form: dict[str, Any]) -> None:
        await self._change_name_shown(form, self._token, self.router.session.client_ip, admit)

    async def _open(self, token: str, query: Mapping[str, str]) -> None:
        self._opened, self.link = token, f"/learner/{token}"
        await self._load(find_learner, token)
        self.done = _SENT if SENT in query else self._describe_name() if NAMED in query else ""

    def _describe_name(self) -> str:
        return _NAME_SHOWN if self.is_name_shown else _NAME_HIDDEN

    async def _send(self, form: object, token: str, address: str, admission: Admission) -> None:
        """Send the link to the stored address, or show why not."""
        self.failure = self.done = ""
        try:
            await admission(Form.LEARNERS, form, address)
            async with session_scope() as session:
                await send_link(session, token)
            self.done = _SENT
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self.failure = refused.message

    async def _change_name_shown(self, form: object, token: str, address: str, admission: Admission) -> None:
        """Show the name on the public page of the certificate, or not: the form says which of both."""
        self.failure = self.done = ""
        try:
            await admission(Form.LEARNERS, form, address)
            async with session_scope() as session:
                await show_name(session, token, shown=submitted(form).get("shown") == "yes")
            await self._load(find_learner, token)
            self.done = self._describe_name()
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self.failure = refused.message

    def _show(self, view: LearnerView) -> None:
        course, moment = view.course, now()
        self.reference, self.fullname, self.course = (
            view.learner.reference,
            view.learner.fullname,
            course.name,
        )
        content = course_by_slug(course.slug)
        self.cover = content.cover if content else ""
        shown = course.is_scheduled and not course.has_ended
        self.run = course.run.reference if course.run and shown else ""
        self.trainer = course.run.trainer if course.run and shown else ""
        self.calendar_link = f"{self.link}/calendar.ics" if shown else ""
        self.sessions = (
            [_describe(number, one, view.attended) for number, one in enumerate(course.sessions, start=1)]
            if shown
            else []
        )
        self.messages = [
            MessageItem(str(one.id), f"{format_moment(one.at)}, Nairobi time", one.subject, one.text)
            for one in view.messages
            if not course.has_ended
        ]
        self.materials = [] if course.has_ended else [_describe_material(one) for one in view.materials]
        valid = view.certificate if view.certificate and view.certificate.is_valid else None
        self.certificate, self.certificate_short = (valid.serial, valid.short_serial) if valid else ("", "")
        self.is_name_shown = valid is not None and valid.is_name_shown
        ahead = next((one for one in course.sessions if one.ends_at > moment), None) if shown else None
        self.note = _choose_note(view, ahead)
        is_open = ahead is not None and can_join(ahead.starts_at, ahead.ends_at, moment)
        self.room = course.run.room if course.run and is_open else ""
        self.next_session = f"{format_moment(ahead.starts_at)}, Nairobi time" if ahead else ""
        self.next_moment = ahead.starts_at.isoformat() if ahead else ""
        change = (ahead.ends_at if is_open else ahead.starts_at - JOIN_BEFORE) if ahead else moment
        self._changes_in = (change - moment).total_seconds()


def _describe_material(one: MaterialRecord) -> MaterialItem:
    kind = "Recording" if one.kind is MaterialKind.RECORDING else "Material"
    added = in_nairobi(one.added_at)
    return MaterialItem(str(one.id), one.title, one.address, f"{kind}, added {added:%-d %B %Y}")


def _choose_note(view: LearnerView, ahead: SessionRecord | None) -> str:
    course = view.course
    if course.has_ended:
        return _ENDED
    if course.run is None:
        return _PLACED_LATER
    if course.run.status is RunStatus.CANCELLED:
        return _CANCELLED
    if not course.sessions:
        return _NO_SESSIONS
    return "" if ahead else _OVER


def _describe(number: int, session: SessionRecord, attended: Collection[int]) -> SessionItem:
    starts_at, ends_at = session.starts_at, in_nairobi(session.ends_at)
    return SessionItem(
        number,
        starts_at.isoformat(),
        f"{format_moment(starts_at)} to {ends_at:%H:%M}, Nairobi time",
        f"{session.minutes} minutes",
        session.topic,
        "You were there" if session.id in attended else "Over" if session.ends_at <= now() else "",
    )
