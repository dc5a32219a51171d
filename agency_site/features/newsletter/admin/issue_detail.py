"""One issue of the letter: writing, looking at it, trying it out, and letting it leave.

Everything acts on the issue and the version that the page shows, never on the address. While somebody writes, what
others do to the draft is told and not shown: nothing typed may vanish.
"""

from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.edit_conflicts import Difference, Merge, differences
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import StaleRecord
from agency_site.features.newsletter import emails, issues
from agency_site.features.newsletter.admin.issue_labels import (
    FIELD_LABELS,
    FILE,
    facts_of,
    merged,
    progress_of,
    typed_moment,
    values_of,
)
from agency_site.features.newsletter.admin.issue_previews import preview_issue
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import IssueDraft, read_draft, read_moment
from agency_site.features.newsletter.rules import IssueState, next_letter
from agency_site.mail.usecases import count_states_about
from agency_site.ui.forms import submitted

FORMS = ("mail", "page", "text")
"""In which an issue can be looked at."""


class IssuePage(StaffState):
    """The issue that is open; without a reference a new one."""

    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    stage: rx.Field[str] = rx.field("")
    """Its state as it is shown; empty: nothing is open."""
    facts: dict[str, str] = {}
    draft: dict[str, str] = {}
    """What the boxes hold at first."""
    ticked: rx.Field[list[str]] = rx.field(default_factory=list)
    moment: rx.Field[str] = rx.field("")
    """The time that is proposed for it."""
    progress: dict[str, int] = {}
    look: rx.Field[str] = rx.field("mail")
    """Which of `FORMS` is shown."""
    text: rx.Field[str] = rx.field("")
    """The issue as plain text; its other forms are documents of their own (`issue_previews.py`)."""
    asking: rx.Field[bool] = rx.field(False)
    """The confirmation dialog is open."""
    news: rx.Field[str] = rx.field("")
    """Who has changed the draft since it was opened."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    round: rx.Field[int] = rx.field(0)
    """Counts what the form was filled with, to draw it afresh."""
    _mine: IssueDraft | None = None
    """What is saved if the second of two editors is right, while both are asked about."""
    _theirs: IssueDraft | None = None
    """What is saved if the first one is."""
    _merged_version: int = 0
    _made: bool = False
    """It has just been stored for the first time."""

    @staff_page(Permission.WORK_SUBSCRIBERS)
    async def open_issue(self, _who: Staff) -> None:
        """Show the issue that the address names, or an empty form."""
        asked = str(self.router.url.query_parameters.get("id", "")).strip().upper()[:20]
        if self._made and asked == self.reference:
            # A new issue gets its address: the page is opened once more, and stays as it is.
            self._made = False
            self._say("Saved.")
            return
        if self._returned and asked == self.reference:
            await self._refresh()
            return
        self._forget()
        if asked:
            await self._load(asked)
        else:
            self.stage = IssueState.DRAFT.value

    @staff_watch(Permission.WORK_SUBSCRIBERS)
    async def refresh(self, _who: Staff) -> None:
        """Show what others do to it, and how far it has left."""
        await self._refresh()

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def reload(self, _who: Staff) -> None:
        await self._load(self.reference)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def save(self, who: Staff, form: dict[str, Any]) -> Any:
        """Keep what is typed."""
        self.found = []
        return await self._save(who, read_draft(submitted(form)), self.version)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def keep_theirs(self, who: Staff) -> None:
        """Discard what both changed; what only the second changed is saved."""
        if self.found and self._theirs:
            await self._save(who, self._theirs, self._merged_version)
            return
        await self._load(self.reference)
        self._say("Their version was kept.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Save what was typed over what the other saved."""
        if self.found and self._mine:
            await self._save(who, self._mine, self._merged_version)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def show(self, _who: Staff, look: str) -> None:
        """Look at it in another form."""
        self.look = look if look in FORMS else self.look

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def test(self, who: Staff) -> None:
        """Send it to oneself."""
        async with session_scope() as session:
            await issues.send_test(session, self.reference, who.email)
            await audit.record(session, who, "issue.tested", "issue", self.reference)
        self._say(f"A test is being sent to {who.email}.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def schedule(self, who: Staff, form: dict[str, Any]) -> None:
        """Schedule it for the time that is typed."""
        moment = read_moment(submitted(form).get("moment", ""))
        async with session_scope() as session:
            done = await issues.schedule(session, self.reference, self.version, moment, who.email)
            await audit.record(session, who, "issue.scheduled", "issue", self.reference, moment.isoformat())
        await self._load(done.reference)
        self._say(f"Scheduled for {self.facts['scheduled']}, Nairobi time.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def unschedule(self, who: Staff) -> None:
        """Make a draft of it again."""
        async with session_scope() as session:
            await issues.unschedule(session, self.reference, self.version, who.email)
            await audit.record(session, who, "issue.unscheduled", "issue", self.reference)
        await self._load(self.reference)
        self._say("Unscheduled; draft again.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def ask(self, _who: Staff) -> None:
        """Ask before it is sent now."""
        self.asking = bool(self.reference)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def dismiss(self, _who: Staff) -> None:
        """Keep it here."""
        self.asking = False

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def send_now(self, who: Staff) -> None:
        """Send it now."""
        self.asking = False
        async with session_scope() as session:
            await issues.send_now(session, self.reference, self.version, who.email)
            await audit.record(session, who, "issue.sent", "issue", self.reference)
        await self._load(self.reference)
        self._say("Sending starts within seconds.")

    async def _refresh(self) -> None:
        if not self.reference:
            return
        async with report_scope() as session:
            issue, progress = await _read(session, self.reference)
        writing = self.stage == IssueState.DRAFT.value
        if writing and issue.version != self.version and not self.found:
            self.news = issue.editor
        elif not writing and (issue.version != self.version or progress != self.progress):
            self._show(issue, progress)

    async def _save(self, who: Staff, draft: IssueDraft, version: int) -> Any:
        new = not self.reference
        try:
            async with session_scope() as session:
                saved = await _stored(session, self.reference, version, draft, who.email)
                action = "issue.created" if new else "issue.saved"
                changed = "" if new else changed_fields(FIELD_LABELS, self.draft, values_of(draft))
                await audit.record(session, who, action, "issue", saved.reference, changed)
        except StaleRecord as stale:
            return await self._compare(who, draft, stale.current)
        await self._load(saved.reference)
        self._say("Saved.")
        self._made = new
        return rx.redirect(f"{FILE}?id={saved.reference}", replace=True) if new else None

    async def _compare(self, who: Staff, mine: IssueDraft, current: IssueRecord) -> Any:
        merge = Merge(self.draft, values_of(current), values_of(mine))
        # A letter that was scheduled meanwhile takes no change: that is shown beside what both changed.
        state = {"state": FIELD_LABELS["state"]}
        self.found = merge.disputed(FIELD_LABELS) + differences(state, merge.theirs, merge.mine)
        self.news, self.errors = "", {}
        if not self.found:
            return await self._save(who, merged(mine, current, merge.with_mine()), current.version)
        self._mine = merged(mine, current, merge.with_mine())
        self._theirs = merged(mine, current, merge.with_theirs())
        self._merged_version = current.version
        return None

    async def _load(self, reference: str) -> None:
        async with report_scope() as session:
            issue, progress = await _read(session, reference)
        self._show(issue, progress)

    def _show(self, issue: IssueRecord, progress: dict[str, int]) -> None:
        if (issue.reference, issue.version) != (self.reference, self.version) or self.found or self.news:
            self.text = preview_issue(issue).text
            self.draft, self.ticked = values_of(issue), list(issue.interests)
            self.round += 1
        self.reference, self.version, self.stage = issue.reference, issue.version, issue.state.value
        self.facts, self.progress = facts_of(issue), progress
        self.moment = typed_moment(next_letter(now()))
        self.found, self.news, self.asking, self.errors = [], "", False, {}

    def _forget(self) -> None:
        self._made = False
        self.reference, self.version, self.stage, self.facts = "", 0, "", {}
        self.draft, self.ticked, self.text, self.progress = {}, [], "", {}
        self.found, self.news, self.asking, self.errors = [], "", False, {}
        self.round += 1


async def _stored(
    session: AsyncSession, reference: str, version: int, draft: IssueDraft, actor: str
) -> IssueRecord:
    if reference:
        return await issues.save(session, reference, version, draft, actor)
    return await issues.create(session, draft, actor)


async def _read(session: AsyncSession, reference: str) -> tuple[IssueRecord, dict[str, int]]:
    issue = await issues.find(session, reference)
    begun = issue.started_at is not None
    mails = await count_states_about(session, reference, emails.ISSUE) if begun else {}
    return issue, progress_of(issue, mails)
