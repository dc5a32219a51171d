"""The dialogs of the detail page of a course run."""

import reflex as rx

from agency_site.backoffice.detail_page import panel_form, panel_question
from agency_site.backoffice.dialogs import dialog, notify_checkbox
from agency_site.backoffice.elements import button_row, small_note
from agency_site.backoffice.scrolling_table import labelled_cell, scrolling_table
from agency_site.features.academy.admin.labels import KIND_NAMES, PlanLine
from agency_site.features.academy.admin.runs.detail import (
    ATTENDANCE,
    CANCEL,
    CERTIFICATES,
    LEAVING,
    MATERIAL_FORM,
    MESSAGE_FORM,
    OFFER,
    PLAN,
    RELEASE,
    REMOVAL,
    SESSION_FORM,
    RunPage,
)
from agency_site.features.academy.learners.attendance import Attendee
from agency_site.features.academy.planning.staff_request import (
    ADDRESS_LENGTH,
    MESSAGE_LENGTH,
    SUBJECT_LENGTH,
    TITLE_LENGTH,
    TOPIC_LENGTH,
)
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field, select_field, text_area

MEETING_FORM, WRITE_FORM, ADD_FORM = "run-session", "run-message", "run-material"


def run_dialogs() -> rx.Component:
    """Build all dialogs. Each is open while the page's `panel` has its name."""
    return rx.fragment(
        _cancel_dialog(),
        _session_dialog(),
        _plan_dialog(),
        _removal_dialog(),
        _certificates_dialog(),
        _offer_dialog(),
        _leaving_dialog(),
        _release_dialog(),
        _message_dialog(),
        _material_dialog(),
        _attendance_dialog(),
    )


def _cancel_dialog() -> rx.Component:
    return panel_form(
        RunPage,
        CANCEL,
        "Cancel this course run?",
        _notify_checkbox(),
        submit=("Cancel the run", RunPage.cancel_run),
        cancel="Keep it",
        text="The run is removed from the site for good. Its learners stay listed.",
    )


def _notify_checkbox() -> rx.Component:
    """The checkbox for notifying the people of the run, with their number."""
    audience = RunPage.facts["audience"]
    return rx.cond(
        audience != "",
        notify_checkbox("Notify " + audience + " by e-mail"),
        small_note("The run has no learners and no buyers: no e-mail is sent."),
    )


def _plan_dialog() -> rx.Component:
    def row(line: PlanLine) -> rx.Component:
        return rx.el.tr(
            labelled_cell("No.", line.number),
            labelled_cell("Now", rx.cond(line.before != "", line.before, "none")),
            labelled_cell("New", rx.cond(line.after != "", line.after, "removed")),
            key=line.number,
        )

    return panel_form(
        RunPage,
        PLAN,
        "Replace the sessions?",
        rx.cond(RunPage.warning != "", notice(RunPage.warning, tone="error")),
        _notify_checkbox(),
        submit=("Generate these sessions", RunPage.replace_sessions),
        text=scrolling_table("Sessions now and new", ("No.", "Now", "New"), rx.foreach(RunPage.plan, row)),
    )


def _removal_dialog() -> rx.Component:
    target = RunPage.target
    return panel_form(
        RunPage,
        REMOVAL,
        "Remove this session?",
        _notify_checkbox(),
        submit=("Remove session", RunPage.remove_session),
        cancel="Keep it",
        text=rx.el.p(
            rx.el.strong(target["starts"]), rx.cond(target["topic"] != "", ": " + target["topic"], "")
        ),
    )


def _certificates_dialog() -> rx.Component:
    count = RunPage.earning.length()
    return dialog(
        "run-certificates-heading",
        rx.cond(count == 1, "Issue 1 certificate?", "Issue " + count.to_string() + " certificates?"),
        rx.el.p(
            "These learners attended enough sessions and have never had a certificate. Each gets one, and an e-mail. "
            "Correct a wrong name on the learner's page first."
        ),
        rx.el.ul(
            rx.foreach(RunPage.earning, lambda learner: rx.el.li(learner, key=learner)),
            class_name="office-ticks",
        ),
        rx.cond(
            (RunPage.panel == CERTIFICATES) & (RunPage.problem != ""),
            notice(RunPage.problem, tone="error"),
        ),
        button_row(
            button("Issue and send e-mails", on_click=RunPage.issue_certificates),
            button("Cancel", tone="ghost", on_click=RunPage.close_panel),
        ),
        is_open=RunPage.panel == CERTIFICATES,
        on_cancel=RunPage.close_panel,
    )


def _offer_dialog() -> rx.Component:
    target = RunPage.target
    return panel_question(
        RunPage,
        OFFER,
        "Offer a place now?",
        "A free place is kept for ", target["name"], ". ", rx.el.strong(target["email"]), " gets an e-mail with a link.",
        confirm=("Keep a place and send the e-mail", RunPage.offer_place),
    )  # fmt: skip


def _leaving_dialog() -> rx.Component:
    return panel_question(
        RunPage,
        LEAVING,
        "Remove from the waiting list?",
        RunPage.target["name"],
        " loses their place on the list, and any place that is kept for them. No e-mail is sent.",
        confirm=("Remove", RunPage.remove_waiting),
    )


def _release_dialog() -> rx.Component:
    target = RunPage.target
    return panel_question(
        RunPage,
        RELEASE,
        "Release this reservation?",
        rx.el.strong(target["name"]),
        ": ",
        target["places"],
        ", not paid. They become free at once, first for the waiting list. If the payment still arrives, it takes free "
        "places or goes to review. The buyer gets no e-mail.",
        confirm=("Release", RunPage.release_unpaid),
        cancel="Keep them",
    )


def _session_dialog() -> rx.Component:
    draft, errors = RunPage.session_draft, RunPage.errors
    return panel_form(
        RunPage,
        SESSION_FORM,
        rx.cond(draft["id"] != "", "Change session", "Add session"),
        field("Starts, Nairobi time", "starts_at", form=MEETING_FORM, error=errors["starts_at"], type="datetime-local",
              default_value=draft["starts_at"]),
        field("Minutes", "minutes", form=MEETING_FORM, error=errors["minutes"], kind="number",
              default_value=draft["minutes"], auto_complete="off"),
        field("Topic", "topic", form=MEETING_FORM, error=errors["topic"], optional="optional", max_length=TOPIC_LENGTH,
              default_value=draft["topic"], auto_complete="off"),
        _notify_checkbox(),
        submit=("Save session", RunPage.save_session),
        text=rx.el.p(
            rx.cond(draft["now"] != "", rx.fragment("Now: ", rx.el.strong(draft["now"]), ". ")),
            "All times are Nairobi time.",
        ),
        draft=MEETING_FORM,
    )  # fmt: skip


def _message_dialog() -> rx.Component:
    errors = RunPage.errors
    return panel_form(
        RunPage,
        MESSAGE_FORM,
        "Write to all learners",
        field("Subject", "subject", form=WRITE_FORM, error=errors["subject"], max_length=SUBJECT_LENGTH, auto_complete="off"),
        text_area("Message", "text", form=WRITE_FORM, error=errors["text"], rows="8", max_length=MESSAGE_LENGTH),
        submit=("Send", RunPage.send_message),
        text=rx.el.p(
            rx.cond(
                RunPage.facts["audience_learners"] != "",
                rx.fragment(RunPage.facts["audience_learners"], " of this run: sent by e-mail, and shown on their pages. "),
                "No learner of this run is named yet. ",
            ),
            RunPage.facts["unnamed"],
        ),
        draft=WRITE_FORM,
    )  # fmt: skip


def _material_dialog() -> rx.Component:
    errors = RunPage.errors
    return panel_form(
        RunPage,
        MATERIAL_FORM,
        "Add material or a recording",
        select_field(
            "Kind", "kind", [rx.el.option(name, value=kind.value) for kind, name in KIND_NAMES.items()], form=ADD_FORM,
            error=errors["kind"],
        ),
        field("Title", "title", form=ADD_FORM, error=errors["title"], max_length=TITLE_LENGTH, auto_complete="off"),
        field("Address", "address", form=ADD_FORM, error=errors["address"], max_length=ADDRESS_LENGTH, auto_complete="off",
              kind="address", hint="https://…"),
        rx.cond(
            RunPage.facts["audience_learners"] != "",
            notify_checkbox("Send a recording to " + RunPage.facts["audience_learners"] + " by e-mail"),
        ),
        submit=("Add", RunPage.add_material),
        text="It is shown on the pages of all learners. Materials are not announced by e-mail.",
        draft=ADD_FORM,
    )  # fmt: skip


def _attendance_dialog() -> rx.Component:
    return dialog(
        "run-attendance-heading",
        "Who attended?",
        rx.el.p(RunPage.attended_session["starts"]),
        rx.cond(
            RunPage.attendance,
            rx.el.ul(rx.foreach(RunPage.attendance, _attendee_item), class_name="office-ticks"),
            small_note("No learner of this run is named yet."),
        ),
        rx.cond(
            (RunPage.panel == ATTENDANCE) & (RunPage.problem != ""),
            notice(RunPage.problem, tone="error"),
        ),
        button_row(button("Done", tone="ghost", on_click=RunPage.close_panel)),
        is_open=RunPage.panel == ATTENDANCE,
        on_cancel=RunPage.close_panel,
    )


def _attendee_item(attendee: Attendee) -> rx.Component:
    return rx.el.li(
        rx.el.label(
            rx.el.input(
                type="checkbox",
                checked=attendee.attended,
                on_change=lambda ticked: RunPage.set_attendance(attendee.reference, ticked),
            ),
            attendee.name,
            class_name="office-tick",
        ),
        key=attendee.reference,
    )
