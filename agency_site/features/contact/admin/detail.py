"""One enquiry as staff read and answer it: the state of its page."""

from collections.abc import Awaitable
from typing import Any, ClassVar, TypeVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import session_scope
from agency_site.db.event_log import events_of_reference
from agency_site.errors import FieldError, InputRejected
from agency_site.features.contact import staff_usecases
from agency_site.features.contact.admin.labels import (
    STATES,
    SentReply,
    facts_of,
    history_lines,
    sent_replies,
)
from agency_site.features.contact.records import EnquiryRecord
from agency_site.features.contact.rules import CHANGES, EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.ui.forms import submitted

Result = TypeVar("Result")
REPLY = "reply"
VERBS = {
    EnquiryState.ANSWERED: staff_usecases.mark_answered,
    EnquiryState.CLOSED: staff_usecases.close,
    EnquiryState.NEW: staff_usecases.reopen,
}
CONFIRMATIONS = {
    EnquiryState.ANSWERED: "Marked as answered.",
    EnquiryState.CLOSED: "Closed.",
    EnquiryState.NEW: "Reopened; counted as unanswered.",
}


class EnquiryPage(DetailPage, StaffState):
    """The enquiry that is open."""

    VIEW: ClassVar = Permission.SEE_MESSAGES
    EDIT: ClassVar = Permission.WORK_MESSAGES
    FIELDS: ClassVar = {"state": "State", REPLY: "Reply by e-mail"}

    conversation: rx.Field[list[SentReply]] = rx.field(default_factory=list)
    _reply_version: int = 0
    """The enquiry's version when the editor began a reply. Zero if no reply is being written."""
    _read_replies: int = 0
    """The number of replies that the editor had seen by then."""

    @staff_event(Permission.WORK_MESSAGES)
    async def begin_reply(self, _who: Staff) -> None:
        """Remember the version, so that later changes by others are shown before the reply is sent."""
        if not self._reply_version:
            self._reply_version, self._read_replies = self.version, len(self.conversation)

    @staff_event(Permission.WORK_MESSAGES)
    async def reply(self, who: Staff, form: dict[str, Any]) -> None:
        if not self._reply_version:
            self._reply_version, self._read_replies = self.version, len(self.conversation)
        fields = {"state": STATES[EnquiryState.ANSWERED].text, REPLY: submitted(form).get("reply", "")}
        await self._store(who, Edit(REPLY, fields), self._reply_version)

    @staff_event(Permission.WORK_MESSAGES)
    async def set_state(self, who: Staff, state: str) -> None:
        if state in list(EnquiryState):
            fields = {"state": STATES[EnquiryState(state)].text}
            await self._store(who, Edit(state, fields), self.version)

    @staff_event(Permission.WORK_MESSAGES)
    async def add_note(self, who: Staff, form: dict[str, Any]) -> None:
        text = submitted(form).get("note", "")
        async with session_scope() as session:
            note = staff_usecases.add_note(session, self.reference, text, who.email)
            await _attach_errors_to(note, "note")
            await audit.record(session, who, "enquiry.noted", "enquiry", self.reference)
        await self._load(who, self.reference)
        self._say("Note saved.")

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        before = self.facts.get("state_name", "")
        if edit.verb == REPLY:
            reply = staff_usecases.reply(
                session, self.reference, version, edit.fields[REPLY], who.email, who.name
            )
            enquiry, change = await _attach_errors_to(reply, "reply"), "replied"
            message = f"Your reply is being sent to {enquiry.email}."
        else:
            state = EnquiryState(edit.verb)
            enquiry = await VERBS[state](session, self.reference, version, who.email)
            change, message = CHANGES[state].value, CONFIRMATIONS[state]
        if enquiry.version != version:
            detail = f"{before} → {STATES[enquiry.state].text}"
            await audit.record(session, who, f"enquiry.{change}", "enquiry", self.reference, detail)
        return message

    async def _compare(self, who: Staff, edit: Edit, current: EnquiryRecord) -> None:
        await super()._compare(who, edit, current)
        if self.conflicts:
            # The editor has seen the newer replies, so submitting the form again may send this one.
            self._reply_version, self._read_replies = current.version, len(self.conversation)

    def _fields_of(self, record: EnquiryRecord) -> dict[str, str]:
        replies = self.conversation[self._read_replies :] if self._reply_version else []
        return {"state": STATES[record.state].text, REPLY: replies[-1].text if replies else "No newer reply"}

    def _end_edit(self) -> None:
        super()._end_edit()
        self._reply_version = 0

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        enquiry = await staff_usecases.find(session, reference)
        lines = await events_of_reference(session, EnquiryEvent, Enquiry, reference)
        return {
            "reference": enquiry.reference,
            "version": enquiry.version,
            "facts": facts_of(enquiry),
            "lines": history_lines(lines),
            "conversation": sent_replies(lines),
        }


async def _attach_errors_to(work: Awaitable[Result], field: str) -> Result:
    """Await the work; report a rejected text next to the form field called `field`."""
    try:
        return await work
    except InputRejected as wrong:
        raise InputRejected(wrong.message, (FieldError(field, wrong.message),)) from None
