"""The detail page of a course run."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.detail_page import (
    detail_page,
    detail_screen,
    edit_card,
    history_card,
    record_head,
)
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import (
    button_row,
    card,
    fact,
    small_button,
    small_note,
    spread,
    unvalidated_form,
)
from agency_site.backoffice.scrolling_table import CellContent, labelled_cell, row_button, scrolling_table
from agency_site.backoffice.state import has_permission
from agency_site.backoffice.texts.dialog import link_dialog
from agency_site.content.courses import course_options
from agency_site.features.academy.admin.labels import (
    LEARNER_PATH,
    RUN_PATH,
    RUNS_PATH,
    LearnerLine,
    MaterialLine,
    SessionLine,
    UnpaidLine,
    WaitingLine,
)
from agency_site.features.academy.admin.runs.detail import EDIT_FORM, LEAVING, OFFER, PATTERN, RunPage
from agency_site.features.academy.admin.runs.dialogs import run_dialogs
from agency_site.features.academy.admin.waiting_list.links import WaitingLinks
from agency_site.features.academy.planning.staff_request import ROOM_LENGTH, TRAINER_LENGTH, weekday_name
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.ui.calendar import WEEKDAYS
from agency_site.ui.elements import breakable_address, button, outside_link, served_link, text_link
from agency_site.ui.forms import field, field_error, select_field, state_options

_SESSION_HEADS = ("No.", "Starts", "Length", "Topic", "Actions")

_LEARNER_HEADS, _BUYER_HEADS = ("Learner", "Attended", "Certificate"), ("Order", "Bought by")

_MATERIAL_HEADS = ("Title", "Kind", "Added", "Actions")

_WAITING_HEADS = ("Name", "Since", "State", "Actions")

RUN_FORM, PATTERN_FORM = "run", "run-pattern"


def _run_page_or_form() -> rx.Component:
    return rx.fragment(
        rx.cond(
            RunPage.ready & (RunPage.reference == "") & has_permission(Permission.WORK_ENROLMENTS),
            _new_run_form(),
            _run_page(),
        ),
        run_dialogs(),
        link_dialog(WaitingLinks, "waiting"),
    )


def _run_page() -> rx.Component:
    facts = RunPage.facts
    return detail_page(
        RunPage,
        record_head(
            RunPage.reference, facts["state_name"], facts["tone"], facts["course"], facts["below"], _run_actions(),
            label="Course run",
        ),
        rx.cond(RunPage.panel == EDIT_FORM, _edit_form()),
        _run_card(),
        # These tables have many columns and need the full width of the page.
        _sessions_card(),
        _pattern_card(),
        _learners_card(),
        _unpaid_card(),
        _waiting_card(),
        _materials_card(),
        history_card(RunPage.lines),
        empty=(
            "This page shows one course run. Choose it in its list, or search for its reference above.",
            "All course runs",
            RUNS_PATH,
        ),
    )  # fmt: skip


def _can_change() -> Any:
    return _can_work(Permission.WORK_ENROLMENTS)


def _can_work(permission: Permission) -> Any:
    return has_permission(permission) & (RunPage.facts["status"] != RunStatus.CANCELLED.value)


def _run_actions() -> rx.Component:
    status = RunPage.facts["status"]
    return rx.cond(
        _can_change(),
        rx.fragment(
            rx.cond(
                status == RunStatus.PLANNED.value,
                small_button("Open enrolment", on_click=RunPage.set_status("open")),
                small_button("End enrolment", tone="ghost", on_click=RunPage.set_status("planned")),
            ),
            small_button("Edit", tone="ink", on_click=RunPage.edit),
            small_button("Cancel run", tone="ghost", on_click=RunPage.ask_to_cancel),
        ),
    )  # fmt: skip


def _run_fields() -> tuple[rx.Component, ...]:
    draft, errors = RunPage.draft, RunPage.errors
    return (
        select_field(
            "Course", "course_slug", [rx.el.option(name, value=slug) for slug, name in course_options()], form=RUN_FORM,
            error=errors["course_slug"], default_value=draft["course_slug"],
        ),
        field("Planned start, Nairobi time", "starts_at", form=RUN_FORM, error=errors["starts_at"], type="datetime-local",
              default_value=draft["starts_at"], hint="Replaced by the first session once sessions exist."),
        field("Trainer", "trainer", form=RUN_FORM, error=errors["trainer"], optional="optional", max_length=TRAINER_LENGTH,
              default_value=draft["trainer"], auto_complete="off"),
        select_field(
            "Trainer's account",
            "trainer_email",
            [
                rx.el.option("None", value=""),
                state_options(RunPage.trainers),
            ],
            form=RUN_FORM, error=errors["trainer_email"], default_value=draft["trainer_email"],
            hint="Sees this run and its learners, but no payments.",
        ),
        field("Online room", "room", form=RUN_FORM, error=errors["room"], optional="optional", max_length=ROOM_LENGTH,
              default_value=draft["room"], auto_complete="off", kind="address", hint="https://…"),
        field("Places", "capacity", form=RUN_FORM, error=errors["capacity"], optional="leave empty for no limit",
              kind="number", default_value=draft["capacity"], auto_complete="off"),
        field("Price per place, KES", "price", form=RUN_FORM, error=errors["price"], kind="number",
              optional="leave empty for the course price", default_value=draft["price"], auto_complete="off"),
        field("Enrolment from", "enrol_from", form=RUN_FORM, error=errors["enrol_from"], type="datetime-local",
              optional="leave empty to begin when the run opens", default_value=draft["enrol_from"]),
        field("Enrolment until", "enrol_until", form=RUN_FORM, error=errors["enrol_until"], type="datetime-local",
              optional="leave empty to end at the start", default_value=draft["enrol_until"]),
    )  # fmt: skip


def _new_run_form() -> rx.Component:
    return card(
        "New course run",
        unvalidated_form(
            *_run_fields(),
            button("Create run", type="submit"),
            keep_draft(RUN_FORM, ""),
            on_submit=RunPage.save,
            class_name="office-form",
        ),
        identity="new-run",
    )


def _edit_form() -> rx.Component:
    focus = f"{RUN_FORM}-course_slug"
    waiting = RunPage.facts["waiting"]
    note = rx.cond(waiting != "", small_note(waiting))
    return edit_card(
        RunPage, RUN_FORM, "Edit course run", *_run_fields(), note, on_submit=RunPage.save, focus=focus
    )


def _sessions_card() -> rx.Component:
    return rx.el.section(
        spread(
            rx.el.h2("Sessions"),
            rx.cond(
                _can_change(),
                button_row(
                    rx.cond(
                        _shows_pattern(),
                        rx.fragment(),
                        small_button("Regenerate sessions", tone="ghost", on_click=RunPage.open_pattern),
                    ),
                    small_button("Add session", tone="ink", on_click=RunPage.edit_session("")),
                ),
            ),
        ),
        rx.cond(
            RunPage.facts["count"] != "0",
            scrolling_table("Sessions", _SESSION_HEADS, rx.foreach(RunPage.sessions, _session_row)),
            small_note("No sessions yet. Generate them from a weekly pattern, or add them one by one."),
        ),
        class_name="office-card",
    )  # fmt: skip


def _session_row(line: SessionLine) -> rx.Component:
    about = "session ", line.number
    return rx.el.tr(
        labelled_cell("No.", line.number),
        labelled_cell("Starts", _unbroken(line.starts)),
        labelled_cell("Length", _unbroken(line.duration)),
        labelled_cell("Topic", line.topic),
        rx.el.td(
            button_row(
                rx.cond(
                    line.has_begun & _can_work(Permission.WORK_LEARNERS),
                    row_button("Attendance", RunPage.open_attendance(line.id), *about),
                ),
                rx.cond(
                    _can_change(),
                    rx.fragment(
                        row_button("Edit", RunPage.edit_session(line.id), *about),
                        row_button("Remove", RunPage.ask_to_remove(line.id), *about),
                    ),
                ),
            )
        ),
        key=line.id,
    )


def _learners_card() -> rx.Component:
    return rx.el.section(
        spread(
            rx.el.h2("Learners"),
            rx.cond(
                has_permission(Permission.WORK_LEARNERS) & (RunPage.learners.length() > 0),
                button_row(
                    rx.cond(
                        RunPage.facts["is_over"] != "",
                        small_button("Issue certificates", tone="ink", on_click=RunPage.ask_to_issue),
                    ),
                    small_button("Write to all learners", tone="ink", on_click=RunPage.begin_message),
                ),
            ),
        ),
        rx.cond(
            RunPage.learners,
            rx.cond(
                has_permission(Permission.SEE_ENROLMENTS),
                scrolling_table(
                    "Learners", _LEARNER_HEADS + _BUYER_HEADS, rx.foreach(RunPage.learners, _bought_place_row)
                ),
                scrolling_table("Learners", _LEARNER_HEADS, rx.foreach(RunPage.learners, _learner_row)),
            ),
            small_note("No learners are enrolled yet."),
        ),
        class_name="office-card",
    )


def _learner_row(line: LearnerLine) -> rx.Component:
    return rx.el.tr(*_learner_cells(line), key=line.reference)


def _learner_cells(line: LearnerLine) -> tuple[rx.Component, ...]:
    reference = text_link(line.reference, f"{LEARNER_PATH}?ref=" + line.reference)
    certificate = served_link(
        line.certificate_short, href="/certificate/" + line.certificate, class_name="link"
    )
    return (
        labelled_cell("Learner", _stacked(line.name, breakable_address(line.email), reference)),
        labelled_cell("Attended", line.attended),
        labelled_cell("Certificate", rx.cond(line.certificate != "", certificate, "")),
    )


def _bought_place_row(line: LearnerLine) -> rx.Component:
    order = text_link(line.order, "/admin/order?ref=" + line.order)
    return rx.el.tr(
        *_learner_cells(line),
        labelled_cell("Order", rx.cond(has_permission(Permission.SEE_PAYMENTS), order, line.order)),
        labelled_cell("Bought by", _stacked(line.buyer, _unbroken(line.phone))),
        key=line.reference,
    )


def _unbroken(text: CellContent) -> rx.Component:
    return rx.el.span(text, class_name="office-tone-whole")


def _stacked(*lines: CellContent) -> rx.Component:
    return rx.el.div(*(rx.el.div(line) for line in lines))


def _unpaid_card() -> rx.Component:
    """Show the places that unpaid orders keep, if there are any."""
    return rx.cond(
        RunPage.unpaid,
        card(
            "Places kept for unpaid orders",
            small_note(
                "They become free shortly after the payment is cancelled or fails, unless half of the price has arrived. "
                "Release them if the order will not be paid.",
            ),
            scrolling_table(
                "Places kept for unpaid orders",
                ("Name", "Places", "Kept until", "Actions"),
                rx.foreach(RunPage.unpaid, _unpaid_row),
            ),
        ),
    )


def _unpaid_row(line: UnpaidLine) -> rx.Component:
    release = row_button("Release", RunPage.ask_to_release(line.id), "the places of ", line.name)
    return rx.el.tr(
        labelled_cell("Name", _stacked(line.name, breakable_address(line.email))),
        labelled_cell("Places", line.places),
        labelled_cell("Kept until", _unbroken(line.until)),
        rx.el.td(rx.cond(has_permission(Permission.WORK_ENROLMENTS) & line.can_release, release)),
        key=line.id,
    )


def _waiting_card() -> rx.Component:
    """Show the waiting list if it has, or had, entries."""
    return rx.cond(
        RunPage.waiting,
        card(
            "Waiting list",
            small_note(
                "A place that becomes free is kept for the first person on the list, who gets an e-mail with a link to take it. "
                "Paid orders come before all others and get their places at once.",
            ),
            scrolling_table("Waiting list", _WAITING_HEADS, rx.foreach(RunPage.waiting, _waiting_row)),
        ),
    )


def _waiting_row(line: WaitingLine) -> rx.Component:
    def step(label: str, on_click: Any, *, is_shown: Any) -> rx.Component:
        return rx.cond(is_shown, row_button(label, on_click, line.name))

    steps = button_row(
        step("Offer now", RunPage.ask_about_waiting(OFFER, line.reference), is_shown=line.can_get_place),
        step("Remove", RunPage.ask_about_waiting(LEAVING, line.reference), is_shown=line.is_open),
        step("Copy link", WaitingLinks.show_link(line.reference), is_shown=line.email != ""),
    )
    return rx.el.tr(
        labelled_cell("Name", _stacked(line.name, breakable_address(line.email))),
        labelled_cell("Since", _unbroken(line.since)),
        labelled_cell(
            "State",
            _stacked(rx.el.span(line.state, class_name="office-tone office-tone-" + line.tone), line.note),
        ),
        rx.el.td(rx.cond(_can_change(), steps)),
        key=line.reference,
    )


def _materials_card() -> rx.Component:
    return rx.el.section(
        spread(
            rx.el.h2("Materials and recordings"),
            rx.cond(
                _can_work(Permission.WORK_LEARNERS),
                small_button("Add material", tone="ink", on_click=RunPage.begin_material),
            ),
        ),
        rx.cond(
            RunPage.materials,
            scrolling_table(
                "Materials and recordings", _MATERIAL_HEADS, rx.foreach(RunPage.materials, _material_row)
            ),
            small_note("Nothing yet. What you add is shown on the pages of all learners."),
        ),
        class_name="office-card",
    )


def _material_row(line: MaterialLine) -> rx.Component:
    remove = row_button("Remove", RunPage.remove_material(line.id), line.title)
    return rx.el.tr(
        labelled_cell("Title", outside_link(line.title, href=line.address, class_name="link")),
        labelled_cell("Kind", rx.el.span(line.kind, class_name="office-tone-whole")),
        labelled_cell("Added", _unbroken(line.added)),
        rx.el.td(rx.cond(_can_work(Permission.WORK_LEARNERS), remove)),
        key=line.id,
    )


def _shows_pattern() -> Any:
    """Return whether the form of the pattern is always shown: while only staff know the sessions."""
    facts = RunPage.facts
    return (facts["status"] == RunStatus.PLANNED.value) & (facts["taken"] == "0")


def _pattern_card() -> rx.Component:
    errors = RunPage.errors
    return rx.cond(
        _can_change() & (_shows_pattern() | (RunPage.panel == PATTERN)),
        card(
            "Weekly pattern",
            small_note(
                "Creates a session on each ticked day of each week of the course, but none on public holidays. "
                "Existing sessions are replaced: you see the new dates first.",
            ),
            unvalidated_form(
                field("First day", "first_day", form=PATTERN_FORM, error=errors["first_day"], type="date"),
                rx.el.fieldset(
                    rx.el.legend("Days of the week", class_name="field-label"),
                    *(
                        rx.el.label(
                            rx.el.input(type="checkbox", name=weekday_name(day), value="on"), name, class_name="office-tick"
                        )
                        for day, name in enumerate(WEEKDAYS)
                    ),
                    field_error(errors["weekdays"], "run-weekdays-error"),
                    class_name="letters-ticks",
                ),
                field("Time in Nairobi", "at", form=PATTERN_FORM, error=errors["at"], type="time"),
                field("Minutes", "minutes", form=PATTERN_FORM, error=errors["minutes"], kind="number",
                      default_value="120", auto_complete="off"),
                button_row(
                    small_button("Generate sessions", type="submit", tone="ink"),
                    rx.cond(
                        _shows_pattern(),
                        rx.fragment(),
                        small_button("Cancel", tone="ghost", on_click=RunPage.close_panel,
                               type="reset"),
                    ),
                ),
                keep_draft(PATTERN_FORM, RunPage.reference),
                key=RunPage.reference,
                on_submit=RunPage.generate,
                class_name="office-form",
            ),
        ),
    )  # fmt: skip


def _run_card() -> rx.Component:
    facts = RunPage.facts
    return card(
        "Course run",
        rx.el.dl(
            fact("Last session ends", facts["ends"], is_shown=facts["ends"] != ""),
            fact("Places", facts["places"]),
            fact("Taken", facts["taken"]),
            fact("Left", facts["free"], is_shown=facts["free"] != ""),
            fact("Price per place", facts["price"], is_shown=facts["price"] != ""),
            fact("Trainer", facts["trainer"], is_shown=facts["trainer"] != ""),
            fact("Trainer's account", facts["trainer_email"], is_shown=facts["trainer_email"] != ""),
            fact(
                "Online room",
                outside_link(facts["room"], href=facts["room"], class_name="link"),
                is_shown=facts["room"] != "",
            ),
            fact("Enrolment from", facts["enrol_from"], is_shown=facts["enrol_from"] != ""),
            fact("Enrolment until", facts["enrol_until"], is_shown=facts["enrol_until"] != ""),
            class_name="office-facts office-facts-wide",
        ),
    )


RUN_DETAIL = detail_screen(RunPage, RUN_PATH, "Course run", _run_page_or_form, under=RUNS_PATH)
