"""The detail page of an enquiry: the conversation on the left; details, notes and history on the right."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.clients import client_fact
from agency_site.backoffice.detail_page import (
    detail_page,
    detail_screen,
    history_card,
    note_card,
    record_head,
)
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import (
    button_row,
    card,
    columns,
    fact,
    fact_list,
    small_button,
    small_note,
    unvalidated_form,
)
from agency_site.backoffice.state import has_permission
from agency_site.features.contact.admin.detail import EnquiryPage
from agency_site.features.contact.admin.labels import ENQUIRY, MESSAGES, SentReply
from agency_site.features.contact.rules import EnquiryKind, EnquiryState
from agency_site.features.contact.staff_usecases import NOTE_LENGTH, REPLY_LENGTH
from agency_site.ui.elements import Tone, button, mail_link, text_link
from agency_site.ui.forms import text_area
from agency_site.ui.icon import icon

REPLY_FORM, NOTE_FORM = "enquiry-reply", "enquiry-note"


def _enquiry_page() -> rx.Component:
    facts = EnquiryPage.facts
    return detail_page(
        EnquiryPage,
        record_head(
            EnquiryPage.reference, facts["state_name"], facts["tone"], facts["title"],
            "From " + facts["name"] + ", " + facts["received"], _state_buttons(), label="Enquiry",
        ),
        columns(
            _conversation(),
            rx.el.div(_details(), _notes(), history_card(EnquiryPage.lines)),
        ),
        empty=(
            "This page shows one enquiry or plan sign-up. Choose it in its list, or search for its reference above.",
            "All enquiries",
            MESSAGES,
        ),
    )  # fmt: skip


def _state_buttons() -> rx.Component:
    return rx.cond(
        has_permission(Permission.WORK_MESSAGES),
        rx.fragment(
            _state_button(
                EnquiryState.ANSWERED, "Mark as answered", "ghost", EnquiryPage.facts["state"] == "new"
            ),
            _state_button(EnquiryState.CLOSED, "Close", "ink", EnquiryPage.facts["state"] != "closed"),
            _state_button(EnquiryState.NEW, "Reopen", "ghost", EnquiryPage.facts["state"] != "new"),
        ),
    )


def _state_button(to: EnquiryState, label: str, tone: Tone, is_possible: Any) -> rx.Component:
    on_click = EnquiryPage.set_state(to.value)
    return rx.cond(is_possible, small_button(label, tone=tone, on_click=on_click))


def _conversation() -> rx.Component:
    facts = EnquiryPage.facts
    return card(
        "Conversation",
        rx.el.ol(
            rx.el.li(
                rx.cond(facts["kind"] == EnquiryKind.SIGNUP.value, _plan_request(), _message_text()),
                rx.el.small(facts["name"], ", ", facts["received"]),
                class_name="thread-theirs",
            ),
            rx.foreach(EnquiryPage.conversation, _reply_item),
            class_name="thread",
        ),
        rx.cond(
            facts["email"] == "",
            small_note("This person's data was erased, so a reply is not possible."),
            rx.cond(has_permission(Permission.WORK_MESSAGES), _reply_form()),
        ),
    )  # fmt: skip


def _message_text() -> rx.Component:
    message = EnquiryPage.facts["message"]
    return rx.el.p(rx.cond(message != "", message, "The text was erased."), class_name="office-said-text")


def _plan_request() -> rx.Component:
    facts = EnquiryPage.facts
    return rx.el.p(
        "I would like the ", rx.el.strong(facts["plan"]), " plan",
        rx.cond(
            facts["domain"] != "",
            rx.fragment(" for ", rx.el.strong(facts["domain"]), " (", facts["domain_is"], ")"),
        ),
        ".",
    )  # fmt: skip


def _reply_item(reply: SentReply, index: rx.Var[int]) -> rx.Component:
    return rx.el.li(
        rx.el.p(reply.text, class_name="office-said-text"),
        rx.el.small(reply.who, ", ", reply.at),
        key=index.to_string(),
        class_name="thread-ours",
    )


def _reply_form() -> rx.Component:
    return unvalidated_form(
        text_area(
            "Your reply", "reply", form=REPLY_FORM, error=EnquiryPage.errors.get("reply", "").to(str), rows="7",
            max_length=REPLY_LENGTH, on_focus=EnquiryPage.begin_reply,
        ),
        button_row(
            button(icon("mail", size=18), "Send reply", type="submit"),
            small_note("By e-mail to ", EnquiryPage.facts["email"], ". We add a greeting, your name and their message."),
        ),
        keep_draft(REPLY_FORM, EnquiryPage.reference),
        id=REPLY_FORM,
        on_submit=EnquiryPage.reply,
        class_name="record-form",
    )  # fmt: skip


def _details() -> rx.Component:
    facts = EnquiryPage.facts
    list_name = rx.cond(facts["kind"] == EnquiryKind.SIGNUP.value, "signups", "messages")
    return card(
        "Details",
        fact_list(
            fact("Name", facts["fullname"], is_shown=facts["fullname"] != ""),
            fact(
                "Phone", text_link(facts["dialled"], "tel:" + facts["phone"]), is_shown=facts["phone"] != ""
            ),
            fact("E-mail", mail_link(facts["email"]), is_shown=facts["email"] != ""),
            client_fact(list_name, EnquiryPage.reference, is_shown=facts["fullname"] != ""),
            fact("Plan", facts["plan"], is_shown=facts["plan"] != ""),
            fact("Domain", facts["domain"], is_shown=facts["domain"] != ""),
            fact("Domain status", facts["domain_is"], is_shown=facts["domain"] != ""),
            fact("Received", facts["received"]),
            fact("Came from", facts["origin"], is_shown=facts["origin"] != ""),
            fact("Changed", facts["changed"], is_shown=facts["changed"] != ""),
        ),
    )


def _notes() -> rx.Component:
    return note_card(
        NOTE_FORM, EnquiryPage.reference, EnquiryPage.errors.get("note", "").to(str),
        longest=NOTE_LENGTH, permission=Permission.WORK_MESSAGES, keep=EnquiryPage.add_note,
    )  # fmt: skip


ENQUIRY_PAGE = detail_screen(EnquiryPage, ENQUIRY, "Enquiry", _enquiry_page, under=MESSAGES)
