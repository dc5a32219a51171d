"""One comment as editors see and decide it.

Everything acts on the comment and the version that the page shows, never on the address.
"""

from typing import Any

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.detail_page import (
    HistoryLine,
    fact,
    history_card,
    nothing_chosen,
    record_head,
    reference_asked,
)
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.edit_conflicts import Difference, conflict_panel, differences
from agency_site.backoffice.intervals import LOOK_MS
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import Office, may
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import events_of_reference
from agency_site.features.comments import staff_usecases
from agency_site.features.comments.admin.labels import (
    COMMENT,
    COMMENTS,
    STATE_NAMES,
    decisions_of,
    facts_of,
    log_of,
)
from agency_site.features.comments.emails import is_notice_signature
from agency_site.features.comments.records import CommentChanged, CommentRecord
from agency_site.features.comments.rules import DECISIONS, CommentState
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.elements import button, notice, text_link
from agency_site.ui.forms import field, submitted
from agency_site.ui.icon import icon

REJECTING_FORM, APPROVING = "comment-rejecting", "comment-approving"
MISLED = "This link is not from one of our notification e-mails. Read the comment before you approve it."
LABELS = {"state": "State"}
VERBS = {CommentState.APPROVED: staff_usecases.approve, CommentState.REJECTED: staff_usecases.reject}
SAID = {
    CommentState.APPROVED: "Approved and published.",
    CommentState.REJECTED: "Rejected; not published.",
}


class CommentFile(Office):
    """The comment that is open."""

    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    decisions: rx.Field[list[str]] = rx.field(default_factory=list)
    """What can be decided now."""
    lines: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has decided meanwhile, beside what is about to be."""
    noticed: rx.Field[bool] = rx.field(False)
    """Opened by the link of the notice: what was read there can be approved with one press."""
    misled: rx.Field[bool] = rx.field(False)
    """Opened by a link that looks like the notice's and is none."""
    _mine: tuple[CommentState, str] | None = None

    @staff_page(Right.SEE_COMMENTS)
    async def open_comment(self, _who: Staff) -> None:
        """Show the comment that the address names."""
        self.reference, self.version, self.facts, self.lines = "", 0, {}, []
        self.found, self._mine = [], None
        self.noticed = self.misled = False
        asked, signature = reference_asked(self), self.router.url.query_parameters.get("signed", "")
        if asked:
            await self._load(asked)
            self.noticed = is_notice_signature(asked, signature)
            self.misled = bool(signature) and not self.noticed

    @staff_watch(Right.SEE_COMMENTS)
    async def look_again(self, _who: Staff) -> None:
        """Show what others do to it."""
        if self.reference:
            await self._load(self.reference)

    @staff_event(Right.WORK_COMMENTS)
    async def approve(self, who: Staff) -> None:
        """Let it stand on the site."""
        await self._do(who, CommentState.APPROVED, "")

    @staff_event(Right.WORK_COMMENTS)
    async def reject(self, who: Staff, form: dict[str, Any]) -> None:
        """Keep it from the site, or take it off again."""
        await self._do(who, CommentState.REJECTED, submitted(form).get("why", ""))

    @staff_event(Right.WORK_COMMENTS)
    async def keep_theirs(self, _who: Staff) -> None:
        """Leave it as the other decided."""
        self.found, self._mine = [], None
        await self._load(self.reference)
        self._say("Nothing changed.")

    @staff_event(Right.WORK_COMMENTS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Decide it all the same."""
        if self.found and self._mine:
            await self._do(who, *self._mine)

    async def _do(self, who: Staff, to: CommentState, why: str) -> None:
        reference, version, before = self.reference, self.version, self.facts.get("standing", "")
        try:
            async with session_scope() as session:
                done = await VERBS[to](session, reference, version, who.email, why)
                if done.version != version:
                    detail = f"{before} → {STATE_NAMES[to]}"
                    await audit.record(session, who, f"comment.{DECISIONS[to]}", "comment", reference, detail)
        except CommentChanged as changed:
            await self._compare(changed.current, to, why)
            return
        self.found, self._mine = [], None
        await self._load(reference)
        self._say(SAID[to])

    async def _compare(self, current: CommentRecord, to: CommentState, why: str) -> None:
        await self._load(current.reference)
        self._mine = (to, why)
        self.found = differences(LABELS, {"state": STATE_NAMES[current.state]}, {"state": STATE_NAMES[to]})
        if not self.found:
            self._mine = None
            self._say("Somebody else has already made the same change.")

    async def _load(self, reference: str) -> None:
        async with read_scope() as session:
            comment = await staff_usecases.find(session, reference)
            lines = log_of(await events_of_reference(session, CommentEvent, Comment, reference))
        facts = facts_of(comment)
        if (facts, lines) != (self.facts, self.lines):
            self.facts, self.lines, self.decisions = facts, lines, decisions_of(comment)
        self.reference, self.version = comment.reference, comment.version


def _page() -> rx.Component:
    return rx.el.div(
        Interval.create(every=LOOK_MS, active=CommentFile.reference != "", on_tick=CommentFile.look_again),
        rx.cond(
            CommentFile.reference != "",
            _comment(),
            nothing_chosen(
                "This page shows one comment. Choose it in the list, or search for its reference above.",
                "All comments",
                COMMENTS,
            ),
        ),
        class_name="record",
    )


def _comment() -> rx.Component:
    facts = CommentFile.facts
    found: Any = CommentFile.found
    return rx.fragment(
        record_head(
            CommentFile.reference, facts["standing"], facts["tone"], facts["article"],
            "By " + facts["name"] + ", " + facts["received"], _article(), label="Comment",
        ),
        conflict_panel(found, keep=CommentFile.keep_theirs, overwrite=CommentFile.save_mine),
        rx.cond(CommentFile.misled, notice(rx.el.p(MISLED), tone="error"), rx.fragment()),
        rx.el.div(
            rx.el.section(
                rx.el.h2("Comment"),
                rx.el.blockquote(
                    rx.el.p(
                        rx.cond(facts["text"] != "", facts["text"], "The text was erased."),
                        class_name="office-said-text",
                    ),
                    class_name="thread-theirs",
                ),
                rx.cond(may(Right.WORK_COMMENTS) & (CommentFile.decisions.length() > 0), _deciding(), rx.fragment()),
                class_name="office-card",
            ),
            rx.el.div(_facts(), history_card(CommentFile.lines)),
            class_name="office-columns",
        ),
    )  # fmt: skip


def _article() -> rx.Component:
    href = CommentFile.facts["article_href"]
    return rx.cond(
        href != "", rx.el.a("Open the article", href=href, class_name="office-quiet"), rx.fragment()
    )


def _deciding() -> rx.Component:
    return rx.el.div(
        rx.cond(
            CommentFile.decisions.contains(CommentState.APPROVED.value),
            button(icon("check", size=18), "Approve", on_click=CommentFile.approve, id=APPROVING),
            rx.fragment(),
        ),
        rx.cond(
            CommentFile.decisions.contains(CommentState.REJECTED.value),
            rx.el.form(
                field(
                    "Reason", "why", form=REJECTING_FORM, error=CommentFile.errors.get("why", "").to(str),
                    optional="for editors only", max_length=500, auto_complete="off",
                ),
                button("Reject", tone="ghost", type="submit"),
                keep_draft(REJECTING_FORM, CommentFile.reference),
                id=REJECTING_FORM,
                on_submit=CommentFile.reject,
                custom_attrs={"noValidate": True},
                class_name="comment-rejecting",
            ),
            rx.fragment(),
        ),
        FocusWhen.create(when=CommentFile.noticed, target=APPROVING),
        class_name="comment-deciding",
    )  # fmt: skip


def _facts() -> rx.Component:
    facts = CommentFile.facts
    return rx.el.section(
        rx.el.h2("Details"),
        rx.el.dl(
            fact("Name", facts["name"]),
            fact("E-mail", text_link(facts["email"], "mailto:" + facts["email"]), shown=facts["email"] != ""),
            # No link: nobody has looked at the address yet, and spam lives from being opened.
            fact("Website", facts["website"], shown=facts["website"] != ""),
            fact("Received", facts["received"]),
            fact("Decided", facts["decided"], shown=facts["decided"] != ""),
            fact("Decided by", facts["decided_by"], shown=facts["decided_by"] != ""),
            class_name="office-facts",
        ),
        class_name="office-card",
    )


COMMENT_FILE = Screen(
    path=COMMENT,
    title="Comment",
    right=Right.SEE_COMMENTS,
    body=_page,
    on_load=(CommentFile.open_comment,),
    under=COMMENTS,
)
