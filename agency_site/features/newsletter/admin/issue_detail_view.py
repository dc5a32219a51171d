"""The detail page of an issue: content on the left, schedule and progress on the right, preview below."""

from typing import Any

import reflex as rx

from agency_site.backoffice.detail_page import detail_screen, nothing_chosen
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.elements import (
    button_row,
    card,
    fact,
    fact_list,
    small_button,
    small_note,
    spread,
    unvalidated_form,
)
from agency_site.backoffice.screens import REFRESH_MS
from agency_site.content.newsletter import INTERESTS
from agency_site.features.newsletter.admin.issue_detail import SEND_NOW, IssuePage
from agency_site.features.newsletter.admin.issue_labels import ISSUE_PATH, ISSUES_PATH
from agency_site.features.newsletter.admin.issue_previews import ADDRESS
from agency_site.features.newsletter.request import SUMMARY_LENGTH, TEXT_LENGTH, TITLE_LENGTH
from agency_site.features.newsletter.rules import SLUG_LENGTH, IssueState, tick_name
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, notice, outside_link
from agency_site.ui.forms import field, text_area

FORM = "letter"
"""The name of the drafts that browsers keep, and the prefix of the fields' ids."""
ISSUE_FORM = "letter-form"
"""The id of the form. Buttons that use the saved issue are disabled while it has unsaved changes."""
HINT = (
    "In Markdown: ## for a heading, - for a list, [text](/book) for a link, > for a quotation, "
    # Without a place to break the line: it must be typed exactly.
    "!\N{WORD JOINER}[description](/images/name.jpg) for one of our pictures."
)


def _issue_page() -> rx.Component:
    return rx.el.div(
        Interval.create(every=REFRESH_MS, active=IssuePage.reference != "", on_tick=IssuePage.refresh),
        rx.cond(
            IssuePage.stage != "",
            _issue_content(),
            nothing_chosen(
                "No issue selected. Choose one in the list, or create a new one.", "All issues", ISSUES_PATH
            ),
        ),
        class_name="letters",
    )


def _issue_content() -> rx.Component:
    conflicts: Any = IssuePage.conflicts
    stage = IssuePage.stage
    return rx.fragment(
        rx.cond(IssuePage.reference != "", _issue_heading()),
        rx.cond((IssuePage.changed_by != "") & (conflicts.length() == 0), _change_notice()),
        conflict_panel(
            conflicts, keep=IssuePage.keep_theirs, overwrite=IssuePage.save_mine, author=IssuePage.changed_by
        ),
        rx.el.div(
            rx.cond(stage == IssueState.DRAFT.value, _content_form(), _progress_card()),
            rx.el.div(
                rx.cond(stage == IssueState.DRAFT.value, _schedule_card()),
                rx.cond(stage == IssueState.SCHEDULED.value, _scheduled_card()),
                rx.cond((IssuePage.reference != "") & ~_is_started(), _test_mail_card()),
                rx.cond(_is_started(), _public_page_card()),
            ),
            class_name="office-columns letters-columns",
        ),
        rx.cond(IssuePage.reference != "", _preview_card()),
        _send_dialog(),
    )


def _issue_heading() -> rx.Component:
    facts = IssuePage.facts
    return rx.el.section(
        rx.el.p(
            rx.el.strong(facts["reference"]),
            rx.el.span(facts["state_name"], class_name="office-tone office-tone-" + facts["tone"]),
            class_name="office-row",
        ),
        rx.el.h2(facts["title"]),
        small_note("For ", facts["audience"], ". Last changed by ", facts["editor"], "."),
        class_name="office-card letters-head",
        aria_label="Issue",
    )


def _change_notice() -> rx.Component:
    return notice(
        rx.el.p(
            IssuePage.changed_by,
            " has changed this draft since you opened it. Your unsaved text is still here.",
        ),
        rx.el.button(
            "Discard mine and show theirs",
            type="button",
            class_name="office-quiet",
            on_click=IssuePage.discard_draft,
        ),
        class_name="letters-news",
    )


def _content_form() -> rx.Component:
    draft, errors = IssuePage.draft, IssuePage.errors
    return card(
        "Content",
        unvalidated_form(
            field("Title", "title", form=FORM, error=errors["title"], max_length=TITLE_LENGTH,
                  default_value=draft["title"], auto_complete="off", hint="Also the subject of the e-mail."),
            field("Summary", "summary", form=FORM, error=errors["summary"], optional="optional",
                  max_length=SUMMARY_LENGTH, default_value=draft["summary"], auto_complete="off",
                  hint="One sentence, shown at the top of the issue and in lists."),
            field("Address", "slug", form=FORM, error=errors["slug"], optional="leave empty to use the title",
                  max_length=SLUG_LENGTH, default_value=draft["slug"], auto_complete="off", hint="/newsletter/…"),
            text_area("Text", "text", form=FORM, error=errors["text"], rows="20", max_length=TEXT_LENGTH,
                      default_value=draft["text"], hint=HINT, on_blur=IssuePage.measure),
            _mail_size(),
            rx.el.fieldset(
                rx.el.legend("Audience", class_name="field-label"),
                rx.el.p("Tick none to send to all subscribers.", class_name="field-hint"),
                *(_interest_box(interest.name, interest.label) for interest in INTERESTS),
                class_name="letters-ticks",
            ),
            button_row(
                button("Save", type="submit"),
                rx.el.p("Not saved yet", class_name="letters-unsaved", role="status"),
            ),
            keep_draft(FORM, IssuePage.reference),
            id=ISSUE_FORM,
            key=IssuePage.reference + "-" + IssuePage.version.to_string(),
            on_submit=IssuePage.save,
            class_name="letters-form",
            aria_label="Content",
        ),
    )  # fmt: skip


def _mail_size() -> rx.Component:
    return rx.el.div(
        rx.cond(
            IssuePage.is_too_large,
            notice(
                rx.el.p(
                    rx.el.strong(IssuePage.size), ". Gmail cuts mails off after about 100 KB, so readers would not see the "
                    "link to unsubscribe at the end. Please shorten the text, or move a part of it to a page and link to it."
                ),
            ),
            rx.cond(IssuePage.size != "", small_note(IssuePage.size)),
        ),
        role="status",
    )  # fmt: skip


def _interest_box(name: str, label: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="checkbox",
            name=tick_name(name),
            default_checked=IssuePage.interests.contains(name),
            value="on",
        ),
        label,
        class_name="office-tick",
    )


def _preview_card() -> rx.Component:
    # The version in the address makes the frame load again after each save.
    document = f"{ADDRESS}{IssuePage.reference}/{IssuePage.preview_format}?version={IssuePage.version}"
    return rx.el.section(
        spread(
            rx.el.h2("Preview"),
            button_row(
                _preview_button("mail", "Mail"), _preview_button("text", "Plain text"), _preview_button("page", "Page"),
                role="group", aria_label="Preview formats",
            ),
        ),
        small_note("Last saved version."),
        rx.cond(
            IssuePage.preview_format == "text",
            rx.el.pre(IssuePage.text, class_name="office-pre", custom_attrs={"tabIndex": 0}),
            rx.el.iframe(
                src=document,
                title=rx.cond(IssuePage.preview_format == "page", "Issue as a page", "Issue as an e-mail"),
                sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox",
                class_name="letters-frame",
            ),
        ),
        class_name="office-card",
    )  # fmt: skip


def _preview_button(name: str, label: str) -> rx.Component:
    return rx.el.button(
        label,
        type="button",
        on_click=IssuePage.choose_preview(name),
        aria_pressed=rx.cond(IssuePage.preview_format == name, "true", "false"),
        class_name="tab",
    )


def _send_dialog() -> rx.Component:
    return confirm_dialog(
        "send-question",
        "Send this issue now?",
        "It goes to ",
        rx.el.strong(IssuePage.readers),
        ". Sending starts within seconds. Sent e-mails cannot be recalled.",
        is_open=IssuePage.panel == SEND_NOW,
        confirm=("Send now", IssuePage.send_now),
        cancel=("Cancel", IssuePage.cancel_sending),
    )


def _schedule_card() -> rx.Component:
    """The card that schedules the draft or sends it now."""
    return rx.cond(
        IssuePage.reference != "",
        card(
            "Schedule",
            unvalidated_form(
                field("Day and time in Nairobi", "moment", form="leave", error=IssuePage.errors["moment"],
                      type="datetime-local", default_value=IssuePage.moment,
                      hint="Issues are usually sent on Wednesdays at 07:00."),
                _readers_note(),
                small_button("Schedule", type="submit", tone="ink"),
                keep_draft("leave", IssuePage.reference),
                key=IssuePage.moment + IssuePage.reference,
                on_submit=IssuePage.schedule,
                class_name="letters-form",
            ),
            rx.el.button("Send now", type="button", class_name="office-quiet", on_click=IssuePage.ask_to_send),
            _save_first_note(),
            custom_attrs={"data-saved-only": ISSUE_FORM},
        ),
        card(
            "Schedule",
            small_note("Save the issue first. Then you can preview it, send a test and schedule it."),
        ),
    )  # fmt: skip


def _readers_note() -> rx.Component:
    return small_note(
        "It would now go to ",
        rx.el.strong(IssuePage.readers),
        ". People who subscribe before it is sent will get it too.",
    )


def _scheduled_card() -> rx.Component:
    """The card with the time of a scheduled issue."""
    return rx.el.section(
        rx.el.h2("Schedule"),
        rx.el.p(rx.el.strong(IssuePage.facts["scheduled"]), ", Nairobi time."),
        _readers_note(),
        small_note("To change the issue or its time, unschedule it first."),
        small_button("Unschedule", tone="ghost", on_click=IssuePage.unschedule),
        class_name="office-card letters-form",
    )


def _test_mail_card() -> rx.Component:
    """The card that sends a test to the member of staff who clicks."""
    return rx.el.section(
        rx.el.h2("Test e-mail"),
        small_note("One e-mail, to you only."),
        small_button("Send me a test", tone="ghost", on_click=IssuePage.send_test),
        _save_first_note(),
        custom_attrs={"data-saved-only": ISSUE_FORM},
        class_name="office-card letters-form",
    )


def _save_first_note() -> rx.Component:
    return rx.el.p("Save the issue first: this uses the saved version.", class_name="letters-first")


def _progress_card() -> rx.Component:
    """The progress of sending, which replaces the form of a scheduled issue."""
    progress = IssuePage.progress
    return rx.cond(
        _is_started(),
        rx.el.section(
            rx.el.h2(rx.cond(IssuePage.stage == IssueState.SENT.value, "Sent", "Sending")),
            rx.el.div(
                rx.el.div(
                    custom_attrs={"style": rx.Var.create({"width": progress["percent"].to_string() + "%"})}  # type: ignore[attr-defined]
                ),
                role="progressbar",
                aria_label="Subscribers processed",
                aria_valuenow=progress["percent"],
                aria_valuemin=0,
                aria_valuemax=100,
                class_name="letters-bar",
            ),
            fact_list(
                fact("Subscribers", progress["audience"]),
                fact("Processed", progress["processed"]),
                fact("E-mails created", progress["created"]),
                fact("Delivered to the mail server", progress["delivered"]),
                rx.cond(progress["kept"] > 0, fact("Not sent; kept in the outbox", progress["kept"])),
                fact("Queued", progress["waiting"]),
                fact("Failed", progress["failed"]),
                fact("Invalid addresses", progress["refused"]),
            ),
            class_name="office-card letters-form",
        ),
        card("Ready", rx.el.p("The issue is finished and is sent automatically. See the preview below.")),
    )


def _is_started() -> rx.Var[bool]:
    """Return whether sending has begun."""
    return (IssuePage.stage == IssueState.SENDING.value) | (IssuePage.stage == IssueState.SENT.value)


def _public_page_card() -> rx.Component:
    """The card with the link to the public page."""
    facts = IssuePage.facts
    return rx.el.section(
        rx.el.h2("Public page"),
        rx.el.p(
            outside_link("Issue ", facts["number"], " in the archive", href=facts["href"], class_name="link")
        ),
        rx.cond(facts["sent"] != "", small_note("Sent on ", facts["sent"], ".")),
        class_name="office-card letters-form",
    )


ISSUE_PAGE = detail_screen(IssuePage, ISSUE_PATH, "Newsletter issue", _issue_page, under=ISSUES_PATH)
