"""One enquiry as staff see and work it: what its page does.

Everything acts on the enquiry and the version that the page shows, never on the address.
"""

from collections.abc import Awaitable
from typing import Any, TypeVar

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.detail_page import HistoryLine, reference_asked
from agency_site.backoffice.edit_conflicts import Difference, differences
from agency_site.backoffice.state import Office
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import events_of_reference
from agency_site.errors import FieldError, InputRejected
from agency_site.features.contact import staff_usecases
from agency_site.features.contact.admin.labels import (
    STATE_NAMES,
    Said,
    conversation_of,
    facts_of,
    log_of,
)
from agency_site.features.contact.records import EnquiryChanged, EnquiryRecord
from agency_site.features.contact.rules import CHANGES, EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.ui.forms import submitted

Done = TypeVar("Done")
LABELS = {"state": "State", "reply": "Reply by e-mail"}
VERBS = {
    EnquiryState.ANSWERED: staff_usecases.mark_answered,
    EnquiryState.CLOSED: staff_usecases.close,
    EnquiryState.NEW: staff_usecases.reopen,
}
SAID = {
    EnquiryState.ANSWERED: "Marked as answered.",
    EnquiryState.CLOSED: "Closed.",
    EnquiryState.NEW: "Reopened; counted as unanswered.",
}


class EnquiryFile(Office):
    """The enquiry that is open."""

    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    conversation: rx.Field[list[Said]] = rx.field(default_factory=list)
    lines: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has done meanwhile, beside what is about to be done."""
    _begun: int = 0
    """The version on which an answer was begun; 0: none is being written."""
    _read: int = 0
    """How many answers stood there then."""
    _mine: tuple[EnquiryState, str] | None = None
    """The state, and the words of an answer, that were about to be stored."""

    @staff_page(Right.SEE_MESSAGES)
    async def open_enquiry(self, _who: Staff) -> None:
        """Show the enquiry that the address names."""
        asked = reference_asked(self)
        if not self._returned:
            self._forget()
        if asked:
            await self._load(asked)

    @staff_watch(Right.SEE_MESSAGES)
    async def look_again(self, _who: Staff) -> None:
        """Show what others do to it."""
        if self.reference:
            await self._load(self.reference)

    @staff_event(Right.WORK_MESSAGES)
    async def begin(self, _who: Staff) -> None:
        """Somebody begins to answer: from here on, what others do is shown before the answer leaves."""
        if not self._begun:
            self._begun, self._read = self.version, len(self.conversation)

    @staff_event(Right.WORK_MESSAGES)
    async def reply(self, who: Staff, form: dict[str, Any]) -> None:
        """Answer by e-mail; what was typed stays in its box unless it left."""
        if not self._begun:
            self._begun, self._read = self.version, len(self.conversation)
        text = submitted(form).get("reply", "")
        await self._do(who, EnquiryState.ANSWERED, text, self._begun, answering=True)

    @staff_event(Right.WORK_MESSAGES)
    async def set_state(self, who: Staff, state: str) -> None:
        """Close it, open it again, or mark it as answered."""
        if state in list(EnquiryState):
            await self._do(who, EnquiryState(state), "", self.version, answering=False)

    @staff_event(Right.WORK_MESSAGES)
    async def note(self, who: Staff, form: dict[str, Any]) -> None:
        """Write something down for the others."""
        words = submitted(form).get("note", "")
        async with session_scope() as session:
            await _at(staff_usecases.add_note(session, self.reference, words, who.email), "note")
            await audit.record(session, who, "enquiry.noted", "enquiry", self.reference)
        await self._load(self.reference)
        self._say("Note saved.")

    @staff_event(Right.WORK_MESSAGES)
    async def keep_theirs(self, _who: Staff) -> None:
        """Let go of what was about to be stored."""
        self._drop()
        await self._load(self.reference)
        self._say("Nothing changed.")

    @staff_event(Right.WORK_MESSAGES)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Store it all the same."""
        if self.found and self._mine:
            state, words = self._mine
            await self._do(who, state, words, self.version, answering=bool(words))

    async def _do(self, who: Staff, to: EnquiryState, words: str, version: int, *, answering: bool) -> None:
        before = self.facts.get("standing", "")
        reference, change = self.reference, "replied" if answering else CHANGES[to].value
        try:
            async with session_scope() as session:
                if answering:
                    done = await _at(
                        staff_usecases.reply(session, reference, version, words, who.email), "reply"
                    )
                else:
                    done = await VERBS[to](session, reference, version, who.email)
                if done.version != version:
                    detail = f"{before} → {STATE_NAMES[done.state]}"
                    await audit.record(session, who, f"enquiry.{change}", "enquiry", reference, detail)
        except EnquiryChanged as changed:
            await self._compare(changed.current, to, words)
            return
        self._drop()
        await self._load(reference)
        self._say(f"Your reply is being sent to {self.facts['email']}." if answering else SAID[to])

    async def _compare(self, current: EnquiryRecord, to: EnquiryState, words: str) -> None:
        await self._load(current.reference)
        news = self.conversation[self._read :] if words else []
        self._begun, self._read, self._mine = self.version, len(self.conversation), (to, words)
        theirs = {"state": STATE_NAMES[current.state], "reply": news[-1].text if news else "No newer reply"}
        mine = {"state": STATE_NAMES[to], "reply": words or theirs["reply"]}
        self.found = differences(LABELS, theirs, mine)
        if not self.found:
            self._drop()
            self._say("Somebody else has already made the same change.")

    def _drop(self) -> None:
        self.found, self.errors, self._mine, self._begun = [], {}, None, 0

    def _forget(self) -> None:
        self._drop()
        self.reference, self.version, self.facts = "", 0, {}
        self.conversation, self.lines = [], []

    async def _load(self, reference: str) -> None:
        async with read_scope() as session:
            enquiry = await staff_usecases.find(session, reference)
            lines = await events_of_reference(session, EnquiryEvent, Enquiry, reference)
        facts, log = facts_of(enquiry), log_of(lines)
        if (enquiry.reference, facts, log) != (self.reference, self.facts, self.lines):
            self.facts, self.lines, self.conversation = facts, log, conversation_of(lines)
        self.reference, self.version = enquiry.reference, enquiry.version


async def _at(work: Awaitable[Done], field: str) -> Done:
    """Do it; what is wrong with the words is said next to the box called `field`."""
    try:
        return await work
    except InputRejected as wrong:
        raise InputRejected(wrong.message, (FieldError(field, wrong.message),)) from None
