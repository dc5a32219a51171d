"""The page of data requests: the search, the stored records, export and erasure."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.dialogs import form_dialog
from agency_site.backoffice.elements import (
    button_row,
    fact_list,
    field_pair,
    small_button,
    small_note,
    unvalidated_form,
)
from agency_site.backoffice.personal_data.data_requests import DataSource, register_sources
from agency_site.backoffice.personal_data.download import EXPORT
from agency_site.backoffice.personal_data.labels import Fact, Group, Part, RecordSummary
from agency_site.backoffice.personal_data.state import DataRequestState
from agency_site.backoffice.screens import Screen
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field
from agency_site.ui.icon import icon

PATH = "/admin/people"
_FILE_FRAME = "people-file"


def privacy_screens(*sources: DataSource) -> tuple[Screen, ...]:
    """The page of data requests over all `sources`; erasing follows their order."""
    register_sources(*sources)
    return (
        Screen(
            path=PATH,
            title="Data requests",
            permission=Permission.PRIVACY,
            body=_data_request_page,
            on_load=(DataRequestState.open_page,),
            icon="user",
        ),
    )


def _data_request_page() -> rx.Component:
    return rx.el.div(
        _search_form(),
        rx.cond(DataRequestState.refused != "", _refusal_notice()),
        rx.cond(DataRequestState.outcomes, _erased_card()),
        rx.cond(DataRequestState.searched, _results()),
        _erase_dialog(),
        class_name="record",
    )


def _search_form() -> rx.Component:
    errors = DataRequestState.errors
    return unvalidated_form(
        small_note(
            "People can ask which data we store about them, get a copy, and have it erased. "
            "Verify the requester first: reply to the address or call the number.",
        ),
        field_pair(
            field("E-mail", "email", form="person", error=errors.get("email", "").to(str), optional="enter one or both",
                  type="email", max_length=EMAIL_LENGTH, auto_complete="off", default_value=DataRequestState.email,
                  key=DataRequestState.email),
            field("Phone", "phone", form="person", error=errors.get("phone", "").to(str), optional="enter one or both",
                  type="tel", max_length=PHONE_LENGTH, auto_complete="off", placeholder="0712 345 678",
                  default_value=DataRequestState.phone, key=DataRequestState.phone),
        ),
        button_row(button(icon("search", size=18), "Find", type="submit", tone="ink")),
        on_submit=DataRequestState.find,
        aria_label="Find personal data",
        class_name="office-card record-form",
    )  # fmt: skip


def _refusal_notice() -> rx.Component:
    return notice(
        rx.el.strong("Nothing was erased. "),
        DataRequestState.refused,
        tone="error",
        class_name="people-notice",
    )


def _erased_card() -> rx.Component:
    return rx.el.section(
        rx.el.h2("What was erased"),
        _plain_list(DataRequestState.outcomes),
        class_name="office-card people-erased",
    )


def _results() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2(
                    rx.cond(DataRequestState.groups, "Data stored about ", "No data stored about "),
                    rx.el.span(
                        DataRequestState.email,
                        rx.cond((DataRequestState.email != "") & (DataRequestState.phone != ""), " or ", ""),
                        DataRequestState.phone,
                    ),
                    id="people-found",
                ),
                FocusWhen.create(when=DataRequestState.email + DataRequestState.phone, target="people-found"),
                class_name="people-whom",
            ),
            rx.cond(DataRequestState.groups, _data_actions()),
            class_name="office-card record-head",
        ),
        rx.cond(DataRequestState.others, _other_identifiers()),
        rx.cond(
            DataRequestState.groups,
            button(
                rx.cond(DataRequestState.unfolded, "Collapse all", "Expand all"),
                tone="ghost",
                class_name="button-small people-unfold",
                on_click=DataRequestState.unfold,
            ),
        ),
        rx.foreach(DataRequestState.groups, _group),
        aria_labelledby="people-found",
    )


def _data_actions() -> rx.Component:
    return button_row(
        rx.el.form(
            # A form instead of a link: an address would be in the browser's history and in logs.
            rx.el.input(type="hidden", name="email", value=DataRequestState.email, read_only=True),
            rx.el.input(type="hidden", name="phone", value=DataRequestState.phone, read_only=True),
            small_button(icon("download", size=18), "Download as JSON", type="submit", tone="ghost"),
            action=EXPORT,
            method="post",
            # A post that replaces this page would close its socket, and the next click would meet an empty state.
            target=_FILE_FRAME,
            # Without a handler the browser posts the form; with one Reflex would handle it.
            on_submit=None,
        ),
        rx.el.iframe(name=_FILE_FRAME, title="Download", hidden=True),
        small_button("Erase on request", on_click=DataRequestState.ask),
    )  # fmt: skip


def _other_identifiers() -> rx.Component:
    return rx.el.div(
        rx.el.p("These records also contain other contact details, perhaps of the same person. Search for them as well:"),
        button_row(
            rx.foreach(
                DataRequestState.others,
                lambda other: small_button(
                    icon("plus", size=16), other, tone="ghost",
                    on_click=DataRequestState.widen(other), key=other,
                ),
            ),
        ),
        class_name="office-card people-others",
    )  # fmt: skip


def _group(group: Group) -> rx.Component:
    return rx.el.section(
        rx.el.h3(group.name, rx.el.span(group.count, class_name="people-count"), class_name="people-group"),
        rx.foreach(group.records, _record_details),
        key=group.name,
        class_name="office-card",
    )


def _record_details(record: RecordSummary, index: rx.Var[int]) -> rx.Component:
    return rx.el.details(
        rx.el.summary(record.title, rx.el.small(record.gist)),
        rx.cond(record.href != "", rx.el.a("Open record", href=record.href, class_name="office-quiet")),
        rx.foreach(record.parts, _part),
        open=DataRequestState.unfolded,
        key=index.to_string(),
        class_name="people-sheet",
    )


def _part(part: Part, index: rx.Var[int]) -> rx.Component:
    return rx.fragment(
        rx.cond(part.title != "", rx.el.h4(part.title)),
        fact_list(rx.foreach(part.facts, _fact)),
        key=index.to_string(),
    )


def _fact(fact: Fact, index: rx.Var[int]) -> rx.Component:
    return rx.fragment(rx.el.dt(fact.label), rx.el.dd(fact.text), key=index.to_string())


def _erase_dialog() -> rx.Component:
    return form_dialog(
        "people-question",
        "Erase this personal data?",
        text=rx.fragment(
            rx.el.p(
                "Names, addresses, phone numbers and messages are permanently erased. This cannot be undone. "
                "Upcoming bookings are cancelled. If something is still open, such as a payment, nothing is erased.",
            ),
            rx.cond(
                DataRequestState.names,
                rx.fragment(
                    rx.el.h3("These records have ", DataRequestState.names.length(), " names"),
                    rx.el.p(
                        "If several persons share the number, search for the e-mail address of one instead."
                    ),
                    _plain_list(DataRequestState.names),
                ),
            ),
            rx.cond(
                DataRequestState.endings,
                rx.fragment(
                    rx.el.h3("What is cancelled"),
                    rx.el.p("The client gets no message. Staff and the person who takes it do."),
                    _plain_list(DataRequestState.endings),
                ),
            ),
            rx.el.h3("What is kept, and why"),
            rx.el.dl(rx.foreach(DataRequestState.groups, _retained_data), class_name="people-stays"),
        ),
        is_open=DataRequestState.asking,
        # The call discards the form's fields, because the handler takes none.
        submit=("Erase data", DataRequestState.erase()),
        cancel=("Cancel", DataRequestState.dismiss),
    )


def _plain_list(lines: Any) -> rx.Component:
    return rx.el.ul(rx.foreach(lines, lambda line: rx.el.li(line, key=line)))


def _retained_data(group: Group) -> rx.Component:
    return rx.fragment(rx.el.dt(group.name), rx.el.dd(group.retained_data), key=group.name)
