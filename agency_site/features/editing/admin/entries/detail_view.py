"""The page of an entry: the form on the left, state and actions on the right, differences and history below."""

from typing import Any

import reflex as rx

from agency_site.backoffice.detail_page import detail_screen, nothing_chosen, panel_question
from agency_site.backoffice.dialogs import dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.elements import (
    button_row,
    card,
    small_button,
    small_note,
    unvalidated_form,
)
from agency_site.backoffice.screens import REFRESH_MS
from agency_site.content.entry_kinds import KINDS
from agency_site.features.editing.admin.entries.detail import (
    ACT,
    HIDE,
    PUBLISH,
    QUESTIONS,
    RESET,
    RESTORE,
    SAVE,
    EntryPage,
)
from agency_site.features.editing.admin.entries.differences import ChangedLine, FieldDifference, FieldValue
from agency_site.features.editing.admin.entries.editor import ActButton
from agency_site.features.editing.admin.entries.fields_view import entry_fields
from agency_site.features.editing.admin.entries.labels import CONTENT, ENTRY, VersionLine
from agency_site.features.editing.entries.rules import EntryState
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, button_class, notice, outside_link
from agency_site.ui.forms import field

ENTRY_FORM = "entry-form"
"""The id of the form. Buttons that use the saved entry are disabled while it has unsaved changes."""
_SAVED_ONLY = {"data-saved-only": ENTRY_FORM}


def _entry_page() -> rx.Component:
    return rx.el.div(
        Interval.create(every=REFRESH_MS, active=EntryPage.reference != "", on_tick=EntryPage.refresh),
        rx.cond(
            EntryPage.kind != "",
            _entry_content(),
            nothing_chosen("No entry selected. Choose one in the list.", "All content", CONTENT),
        ),
        class_name="letters entries",
    )


def _entry_content() -> rx.Component:
    conflicts: Any = EntryPage.conflicts
    is_stored = EntryPage.reference != ""
    return rx.fragment(
        rx.cond(is_stored, _entry_heading(), _new_heading()),
        rx.cond((EntryPage.changed_by != "") & (conflicts.length() == 0), _change_notice()),
        conflict_panel(
            conflicts, keep=EntryPage.keep_theirs, overwrite=EntryPage.save_mine, author=EntryPage.changed_by
        ),
        rx.el.div(
            rx.cond(EntryPage.can_change, _entry_form(), _read_only_card()),
            rx.cond(
                is_stored,
                rx.el.div(
                    rx.cond(EntryPage.preview != "", _preview_card()),
                    rx.cond(EntryPage.can_change, _publishing_cards()),
                ),
            ),
            class_name="office-columns letters-columns",
        ),
        rx.cond(EntryPage.unpublished, _differences_card("What publishing changes", EntryPage.unpublished)),
        rx.cond(EntryPage.changed, _differences_card("Compared with the delivered text", EntryPage.changed)),
        rx.cond(EntryPage.versions, _history_card()),
        _questions(),
    )


def _entry_heading() -> rx.Component:
    facts: Any = EntryPage.facts
    return rx.el.section(
        rx.el.p(
            rx.el.a(_kind_name(), href=f"{CONTENT}?kind=" + EntryPage.kind, class_name="office-quiet"),
            rx.el.span(facts["state"], class_name="office-tone office-tone-" + facts["tone"].to(str)),
            rx.cond(
                facts["path"] != "",
                outside_link("View on the site", href=facts["path"], class_name="office-quiet"),
            ),
            class_name="office-row",
        ),
        rx.el.h2(facts["title"]),
        rx.cond(facts["changes"] != "", small_note(facts["changes"], ".")),
        rx.cond(facts["problem"] != "", _problem_notice()),
        class_name="office-card letters-head",
        aria_label="Entry",
    )


def _new_heading() -> rx.Component:
    return rx.el.section(
        rx.el.p(
            rx.el.a(_kind_name(), href=f"{CONTENT}?kind=" + EntryPage.kind, class_name="office-quiet"),
            rx.el.span("New", class_name="office-tone"),
            class_name="office-row",
        ),
        class_name="office-card letters-head",
        aria_label="New entry",
    )


def _kind_name() -> rx.Component:
    names = ((kind.value, definition.plural) for kind, definition in KINDS.items())
    return rx.fragment(rx.match(EntryPage.kind, *names, ""))


def _problem_notice() -> rx.Component:
    return notice(
        rx.el.strong("It was not published at its moment. "), EntryPage.facts["problem"], tone="error"
    )


def _change_notice() -> rx.Component:
    return notice(
        rx.el.p(
            rx.el.strong(EntryPage.changed_by),
            " has changed this entry since you opened it. Your unsaved text is still here.",
        ),
        rx.el.button(
            "Discard mine and show theirs",
            type="button",
            class_name="office-quiet",
            on_click=EntryPage.discard_draft,
        ),
        class_name="letters-news",
    )


def _entry_form() -> rx.Component:
    forms = ((kind.value, entry_fields(definition)) for kind, definition in KINDS.items())
    return card(
        "Content",
        unvalidated_form(
            rx.match(EntryPage.kind, *forms, rx.fragment()),
            rx.el.input(type="hidden", name=ACT, default_value=SAVE),
            button_row(
                # The first one is also that of the Enter key.
                ActButton.create("Save draft", act=SAVE, class_name=button_class("ghost")),
                ActButton.create("Publish", act=PUBLISH, class_name=button_class("brand")),
                rx.el.p("Not saved yet", class_name="letters-unsaved", role="status"),
            ),
            keep_draft("entry", EntryPage.kind + ":" + EntryPage.reference),
            id=ENTRY_FORM,
            key=EntryPage.kind + "-" + EntryPage.reference + "-" + EntryPage.version.to_string(),
            on_submit=EntryPage.submit,
            class_name="letters-form",
            aria_label="Content",
        ),
    )


def _read_only_card() -> rx.Component:
    def draw(value: FieldValue) -> rx.Component:
        return rx.fragment(
            rx.el.dt(value.label), rx.el.dd(value.text, class_name="office-said-text"), key=value.label
        )

    return card(
        "Content",
        small_note("Your role can read this, but not change it."),
        rx.el.dl(rx.foreach(EntryPage.values, draw), class_name="office-facts"),
    )


def _preview_card() -> rx.Component:
    return card(
        "Preview",
        rx.el.p(
            outside_link(
                "Open the preview",
                href=EntryPage.preview,
                class_name="office-quiet",
            )
        ),
        small_note(
            "The saved draft on the real page, at 390 and 1280 pixels. The link works without signing in until ",
            EntryPage.preview_until,
            ", unless the text is hidden or a new link replaces it.",
        ),
        rx.cond(
            EntryPage.can_change,
            small_button("New link", tone="ghost", on_click=EntryPage.renew_preview),
        ),
        _save_first_note(),
        custom_attrs=_SAVED_ONLY,
    )


def _publishing_cards() -> rx.Component:
    stage: Any = EntryPage.facts["stage"]
    is_hidden: Any = EntryPage.facts["hidden"] != ""
    return rx.fragment(
        rx.cond(stage == EntryState.SCHEDULED.value, _scheduled_card(), _schedule_card()),
        rx.cond(
            is_hidden | EntryPage.can_hide | EntryPage.can_reset,
            card(
                "On the site",
                button_row(
                    rx.cond(
                        is_hidden,
                        small_button("Show again", tone="ghost", on_click=EntryPage.show_again),
                    ),
                    rx.cond(
                        EntryPage.can_hide, small_button("Hide", tone="ghost", on_click=EntryPage.ask(HIDE))
                    ),
                    rx.cond(
                        EntryPage.can_reset,
                        small_button(
                            "Return to the delivered text", tone="ghost", on_click=EntryPage.ask(RESET)
                        ),
                    ),
                ),
                _save_first_note(),
                custom_attrs=_SAVED_ONLY,
            ),
        ),
    )


def _schedule_card() -> rx.Component:
    return card(
        "Schedule",
        unvalidated_form(
            field("Day and time in Nairobi", "moment", form="entry-schedule", error=EntryPage.errors["moment"],
                  type="datetime-local", default_value=EntryPage.moment),
            small_button("Schedule", type="submit", tone="ink"),
            small_note("The saved draft is published then. Until then visitors see what they see now, or nothing."),
            keep_draft("entry-schedule", EntryPage.reference),
            key=EntryPage.reference + "-" + EntryPage.version.to_string(),
            on_submit=EntryPage.schedule,
            class_name="letters-form",
        ),
        _save_first_note(),
        custom_attrs=_SAVED_ONLY,
    )  # fmt: skip


def _scheduled_card() -> rx.Component:
    return card(
        "Schedule",
        rx.el.p(rx.el.strong(EntryPage.facts["scheduled"]), ", Nairobi time."),
        small_note("What you save before then is published then."),
        small_button("Unschedule", tone="ghost", on_click=EntryPage.unschedule),
        _save_first_note(),
        custom_attrs=_SAVED_ONLY,
    )


def _save_first_note() -> rx.Component:
    return rx.el.p("Save the draft first: this uses the saved version.", class_name="letters-first")


def _differences_card(heading: str, differences: Any) -> rx.Component:
    return card(heading, difference_list(differences))


def difference_list(differences: Any) -> rx.Component:
    """The fields that differ, each with its old and its new value."""
    return rx.el.dl(rx.foreach(differences, _difference_item), class_name="entries-differences")


def _difference_item(difference: FieldDifference) -> rx.Component:
    lines: Any = difference.lines
    return rx.el.div(
        rx.el.dt(difference.label),
        rx.el.dd(
            rx.cond(
                lines.length() > 0,
                rx.el.ul(rx.foreach(lines, _changed_line), class_name="entries-lines"),
                rx.fragment(
                    rx.el.del_(difference.old),
                    rx.el.span(" → ", aria_label="becomes"),
                    rx.el.ins(difference.new),
                ),
            )
        ),
        key=difference.label,
    )


def _changed_line(line: ChangedLine, index: rx.Var[int]) -> rx.Component:
    return rx.el.li(
        rx.el.span(line.mark, " ", line.word, class_name="entries-mark"),
        line.text,
        key=index.to_string(),
        class_name=rx.cond(line.mark == "+", "entries-added", "entries-removed"),
    )


def _history_card() -> rx.Component:
    return card(
        "History",
        _save_first_note(),
        rx.el.ol(rx.foreach(EntryPage.versions, _version_item), class_name="office-log record-history"),
        custom_attrs=_SAVED_ONLY,
    )


def _version_item(version: VersionLine) -> rx.Component:
    return rx.el.li(
        rx.el.strong(version.what),
        rx.cond(version.words != "", rx.el.p(version.words, class_name="office-said-text")),
        rx.el.small(version.at, ", ", version.who),
        rx.cond(
            EntryPage.can_change,
            rx.el.p(
                rx.el.button(
                    "Compare and restore",
                    rx.el.span(" the version of ", version.at, class_name="sr-only"),
                    type="button",
                    class_name="office-quiet",
                    on_click=EntryPage.compare_version(version.id),
                )
            ),
        ),
        key=version.id.to_string(),
    )


def _questions() -> rx.Component:
    return rx.fragment(
        panel_question(
            EntryPage, HIDE, "Hide this?",
            "Visitors no longer see it, and links to its page lead nowhere. What is scheduled is not published. You can show it "
            "again at any time.",
            confirm=("Hide", EntryPage.hide),
        ),
        panel_question(
            EntryPage, RESET, "Return to the delivered text?",
            "Visitors see the delivered text again, also if it was hidden, and it replaces the draft. The history keeps what was "
            "written here.",
            confirm=("Return to the delivered text", EntryPage.return_to_delivered),
        ),
        dialog(
            "restore-heading",
            "Restore this version?",
            rx.el.p("It replaces the draft; visitors see it once you publish it. This would change:"),
            rx.cond(
                EntryPage.compared, difference_list(EntryPage.compared), rx.el.p("Nothing: the draft is the same.")
            ),
            button_row(
                button("Restore", on_click=EntryPage.restore),
                button("Cancel", tone="ghost", on_click=EntryPage.cancel),
            ),
            is_open=EntryPage.panel == RESTORE,
            on_cancel=EntryPage.cancel,
        ),
        dialog(
            "questions-heading",
            "Publish it like this?",
            rx.el.ul(rx.foreach(EntryPage.questions, lambda question: rx.el.li(question, key=question))),
            button_row(
                button("Yes, publish it", on_click=EntryPage.confirm),
                button("Cancel", tone="ghost", on_click=EntryPage.cancel),
            ),
            is_open=EntryPage.panel == QUESTIONS,
            on_cancel=EntryPage.cancel,
        ),
    )  # fmt: skip


ENTRY_PAGE = detail_screen(EntryPage, ENTRY, "Entry", _entry_page, under=CONTENT)
