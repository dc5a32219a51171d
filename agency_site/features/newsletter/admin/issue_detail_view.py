"""How an issue's page looks: what it is on top, the letter left, when it leaves right, and how it will look beneath."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.detail_page import nothing_chosen
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.content.newsletter import INTERESTS
from agency_site.features.newsletter.admin.issue_detail import IssueFile
from agency_site.features.newsletter.admin.issue_labels import FILE, LIST
from agency_site.features.newsletter.admin.issue_previews import ADDRESS
from agency_site.features.newsletter.admin.issue_schedule import (
    LETTER,
    archived,
    begun,
    departure,
    leaving,
    standing,
    trial,
)
from agency_site.features.newsletter.request import SUMMARY_LENGTH, TEXT_LENGTH, TITLE_LENGTH
from agency_site.features.newsletter.rules import SLUG_LENGTH, IssueState, tick_name
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field, text_area

FORM = "letter"
HINT = (
    "In Markdown: ## for a heading, - for a list, [words](/book) for a link, > for a quotation, "
    "![what it shows](/images/name.jpg) for a picture of ours."
)


def _page() -> rx.Component:
    return rx.el.div(
        Interval.create(every=REFRESH_MS, active=IssueFile.reference != "", on_tick=IssueFile.look_again),
        rx.cond(
            IssueFile.stage != "",
            _issue(),
            nothing_chosen(
                "No issue selected. Choose one in the list, or create a new one.", "All issues", LIST
            ),
        ),
        class_name="letters",
    )


def _issue() -> rx.Component:
    found: Any = IssueFile.found
    stage = IssueFile.stage
    return rx.fragment(
        rx.cond(IssueFile.reference != "", _head(), rx.fragment()),
        rx.cond(IssueFile.news != "", _news(), rx.fragment()),
        conflict_panel(found, keep=IssueFile.keep_theirs, overwrite=IssueFile.save_mine),
        rx.el.div(
            rx.cond(stage == IssueState.DRAFT.value, _form(), leaving()),
            rx.el.div(
                rx.cond(stage == IssueState.DRAFT.value, departure(), rx.fragment()),
                rx.cond(stage == IssueState.SCHEDULED.value, standing(), rx.fragment()),
                rx.cond((IssueFile.reference != "") & ~begun(), trial(), rx.fragment()),
                rx.cond(begun(), archived(), rx.fragment()),
            ),
            class_name="office-columns letters-columns",
        ),
        rx.cond(IssueFile.reference != "", _looks(), rx.fragment()),
        _question(),
    )


def _head() -> rx.Component:
    facts = IssueFile.facts
    return rx.el.section(
        rx.el.p(
            rx.el.strong(facts["reference"]),
            rx.el.span(facts["standing"], class_name="office-tone office-tone-" + facts["tone"]),
            class_name="office-row",
        ),
        rx.el.h2(facts["title"]),
        rx.el.p(
            "For ", facts["audience"], ". Last changed by ", facts["editor"], ".", class_name="office-note"
        ),
        class_name="office-card letters-head",
        aria_label="Issue",
    )


def _news() -> rx.Component:
    return notice(
        rx.el.p(IssueFile.news, " has changed this draft since you opened it. What you typed is still here."),
        rx.el.button(
            "Show theirs instead", type="button", class_name="office-quiet", on_click=IssueFile.reload
        ),
        class_name="letters-news",
    )


def _form() -> rx.Component:
    draft, errors = IssueFile.draft, IssueFile.errors
    return rx.el.section(
        rx.el.h2("Content"),
        rx.el.form(
            field("Title", "title", form=FORM, error=errors["title"], max_length=TITLE_LENGTH,
                  default_value=draft["title"], auto_complete="off", hint="Also the mail's subject."),
            field("Summary", "summary", form=FORM, error=errors["summary"], optional="optional",
                  max_length=SUMMARY_LENGTH, default_value=draft["summary"], auto_complete="off",
                  hint="One sentence, shown at the top of the issue and in lists."),
            field("Address", "slug", form=FORM, error=errors["slug"], optional="made from the title when empty",
                  max_length=SLUG_LENGTH, default_value=draft["slug"], auto_complete="off", hint="/newsletter/…"),
            text_area("Text", "text", form=FORM, error=errors["text"], rows="20", max_length=TEXT_LENGTH,
                      default_value=draft["text"], hint=HINT, spell_check=True),
            rx.el.fieldset(
                rx.el.legend("Audience", class_name="field-label"),
                rx.el.p("Without a tick it goes to everybody.", class_name="field-hint"),
                *(_tick(interest.name, interest.label) for interest in INTERESTS),
                class_name="letters-ticks",
            ),
            rx.el.div(
                button("Save", type="submit"),
                rx.el.p("Not saved yet", class_name="letters-unsaved", role="status"),
                class_name="office-row",
            ),
            keep_draft(FORM, IssueFile.reference),
            id=LETTER,
            key=IssueFile.round,
            on_submit=IssueFile.save,
            custom_attrs={"noValidate": True},
            class_name="letters-form",
            aria_label="Content",
        ),
        class_name="office-card",
    )  # fmt: skip


def _tick(name: str, label: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="checkbox", name=tick_name(name), default_checked=IssueFile.ticked.contains(name), value="on"
        ),
        label,
        class_name="office-tick",
    )


def _looks() -> rx.Component:
    # The version makes the frame load anew after each save.
    document = f"{ADDRESS}{IssueFile.reference}/{IssueFile.look}?version={IssueFile.version}"
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Preview"),
            rx.el.div(
                _look("mail", "Mail"), _look("text", "Plain text"), _look("page", "Page"),
                role="group", aria_label="Preview formats", class_name="office-row",
            ),
            class_name="office-spread",
        ),
        rx.el.p("As it was saved last.", class_name="office-note"),
        rx.cond(
            IssueFile.look == "text",
            rx.el.pre(IssueFile.text, class_name="office-pre", custom_attrs={"tabIndex": 0}),
            rx.el.iframe(
                src=document,
                title=rx.cond(IssueFile.look == "page", "Issue as a page", "Issue as an e-mail"),
                sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox",
                class_name="letters-frame",
            ),
        ),
        class_name="office-card",
    )  # fmt: skip


def _look(name: str, label: str) -> rx.Component:
    return rx.el.button(
        label,
        type="button",
        on_click=IssueFile.show(name),
        aria_pressed=rx.cond(IssueFile.look == name, "true", "false"),
        class_name="tab",
    )


def _question() -> rx.Component:
    return confirm_dialog(
        "letter-question",
        "Send this issue now?",
        "Sending starts within seconds. Sent e-mails cannot be recalled.",
        is_open=IssueFile.asking,
        confirm=("Send now", IssueFile.send_now),
        cancel=("Cancel", IssueFile.dismiss),
    )


ISSUE_FILE = Screen(
    path=FILE,
    title="Newsletter issue",
    right=Right.WORK_SUBSCRIBERS,
    body=_page,
    on_load=(IssueFile.open_issue,),
    under=LIST,
)
