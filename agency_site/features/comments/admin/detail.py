"""The detail page of a comment, where editors approve or reject it, and its state."""

from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.clients import client_fact
from agency_site.backoffice.detail_page import (
    DetailPage,
    Edit,
    detail_page,
    detail_screen,
    history_card,
    record_head,
)
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import card, columns, fact, fact_list, small_note, unvalidated_form
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.event_log import events_of_reference
from agency_site.features.comments import staff_usecases
from agency_site.features.comments.admin.labels import (
    COMMENT,
    COMMENTS,
    STATES,
    decisions_of,
    facts_of,
    history_lines,
)
from agency_site.features.comments.emails import is_notice_signature
from agency_site.features.comments.records import CommentRecord
from agency_site.features.comments.rules import DECISIONS, CommentState
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import button, mail_link, notice
from agency_site.ui.forms import field, submitted
from agency_site.ui.icon import icon

REJECTION_FORM, APPROVE_BUTTON = "comment-rejecting", "comment-approving"
BAD_SIGNATURE_TEXT = (
    "This link is not from one of our notification e-mails. Read the comment before you approve it."
)
VERBS = {CommentState.APPROVED: staff_usecases.approve, CommentState.REJECTED: staff_usecases.reject}
CONFIRMATIONS = {
    CommentState.APPROVED: "Approved and published.",
    CommentState.REJECTED: "Rejected; not published.",
}


class CommentPage(DetailPage, StaffState):
    """The comment that is open."""

    VIEW: ClassVar = Permission.SEE_COMMENTS
    EDIT: ClassVar = Permission.WORK_COMMENTS
    FIELDS: ClassVar = {"state": "State"}

    decisions: rx.Field[list[str]] = rx.field(default_factory=list)
    """The decisions that are possible now."""
    opened_from_notice: rx.Field[bool] = rx.field(False)
    """True if the link in the notice opened the page: its reader knows the comment, so *Approve* gets the focus."""
    has_bad_signature: rx.Field[bool] = rx.field(False)
    """True if a link with a wrong signature opened the page."""

    @staff_event(Permission.WORK_COMMENTS)
    async def approve(self, who: Staff) -> None:
        await self._decide(who, CommentState.APPROVED, "")

    @staff_event(Permission.WORK_COMMENTS)
    async def reject(self, who: Staff, form: dict[str, Any]) -> None:
        await self._decide(who, CommentState.REJECTED, submitted(form).get("why", ""))

    async def _opened(self, _who: Staff) -> None:
        signature = self.router.url.query_parameters.get("signed", "")
        self.opened_from_notice = bool(self.reference) and is_notice_signature(self.reference, signature)
        self.has_bad_signature = bool(self.reference) and bool(signature) and not self.opened_from_notice

    async def _decide(self, who: Staff, state: CommentState, reason: str) -> None:
        edit = Edit(state, {"state": STATES[state].text}, options={"reason": reason})
        await self._store(who, edit, self.version)

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        state, before = CommentState(edit.verb), self.facts.get("state_name", "")
        comment = await VERBS[state](session, self.reference, version, who.email, edit.options["reason"])
        if comment.version != version:
            detail = f"{before} → {STATES[state].text}"
            await audit.record(session, who, f"comment.{DECISIONS[state]}", "comment", self.reference, detail)
        return CONFIRMATIONS[state]

    def _fields_of(self, record: CommentRecord) -> dict[str, str]:
        return {"state": STATES[record.state].text}

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        comment = await staff_usecases.find(session, reference)
        return {
            "reference": comment.reference,
            "version": comment.version,
            "facts": facts_of(comment),
            "lines": history_lines(await events_of_reference(session, CommentEvent, Comment, reference)),
            "decisions": decisions_of(comment),
        }


def _comment_page() -> rx.Component:
    facts = CommentPage.facts
    return detail_page(
        CommentPage,
        record_head(
            CommentPage.reference, facts["state_name"], facts["tone"], facts["article"],
            "By " + facts["name"] + ", " + facts["received"], _article_link(), label="Comment",
        ),
        rx.cond(CommentPage.has_bad_signature, notice(rx.el.p(BAD_SIGNATURE_TEXT), tone="error")),
        columns(
            card(
                "Comment",
                rx.el.blockquote(
                    rx.el.p(
                        rx.cond(facts["text"] != "", facts["text"], "The text was erased."),
                        class_name="office-said-text",
                    ),
                    class_name="thread-theirs",
                ),
                rx.cond(
                    has_permission(Permission.WORK_COMMENTS) & (CommentPage.decisions.length() > 0), _decision_forms(),
                ),
            ),
            rx.el.div(_details(), history_card(CommentPage.lines)),
        ),
        empty=(
            "This page shows one comment. Choose it in the list, or search for its reference above.",
            "All comments",
            COMMENTS,
        ),
    )  # fmt: skip


def _article_link() -> rx.Component:
    href = CommentPage.facts["article_href"]
    return rx.cond(href != "", rx.el.a("Open the article", href=href, class_name="office-quiet"))


def _decision_forms() -> rx.Component:
    return rx.el.div(
        rx.cond(
            CommentPage.decisions.contains(CommentState.APPROVED.value),
            rx.fragment(
                button(icon("check", size=18), "Approve", on_click=CommentPage.approve, id=APPROVE_BUTTON),
                small_note("It is published, and its author gets an e-mail."),
            ),
        ),
        rx.cond(
            CommentPage.decisions.contains(CommentState.REJECTED.value),
            unvalidated_form(
                field(
                    "Reason", "why", form=REJECTION_FORM, error=CommentPage.errors.get("why", "").to(str),
                    optional="for editors only", max_length=500, auto_complete="off",
                ),
                button("Reject", tone="ghost", type="submit"),
                keep_draft(REJECTION_FORM, CommentPage.reference),
                id=REJECTION_FORM,
                on_submit=CommentPage.reject,
                class_name="comment-rejecting",
            ),
        ),
        FocusWhen.create(when=CommentPage.opened_from_notice, target=APPROVE_BUTTON),
        class_name="comment-deciding",
    )  # fmt: skip


def _details() -> rx.Component:
    facts = CommentPage.facts
    return card(
        "Details",
        fact_list(
            fact("Name", facts["name"]),
            fact("E-mail", mail_link(facts["email"]), is_shown=facts["email"] != ""),
            client_fact("comments", CommentPage.reference, is_shown=facts["email"] != ""),
            # Not a link: the address is unchecked, and spammers want staff to open it.
            fact("Website", facts["website"], is_shown=facts["website"] != ""),
            fact("Received", facts["received"]),
            fact("Decided", facts["decided"], is_shown=facts["decided"] != ""),
            fact("Decided by", facts["decided_by"], is_shown=facts["decided_by"] != ""),
        ),
    )


COMMENT_PAGE = detail_screen(CommentPage, COMMENT, "Comment", _comment_page, under=COMMENTS)
