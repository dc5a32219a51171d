"""The detail page of a consultant, and the form of a new one."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.detail_page import (
    detail_page,
    detail_screen,
    edit_card,
    panel_question,
    record_head,
)
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import (
    button_row,
    card,
    fact,
    fact_list,
    field_pair,
    small_button,
    small_note,
    unvalidated_form,
)
from agency_site.backoffice.state import has_permission
from agency_site.features.booking.admin.business_hours.labels import AffectedBooking
from agency_site.features.booking.admin.consultants.detail import DEACTIVATE, EDIT_FORM, ConsultantPage
from agency_site.features.booking.admin.consultants.labels import (
    CONSULTANT,
    CONSULTANTS,
    DAY_LABELS,
    FIELD_LABELS,
    TICK,
)
from agency_site.features.booking.admin.toolbar import LIST
from agency_site.features.booking.consultants.rules import WAY_LABELS
from agency_site.features.booking.consultants.staff_request import LINK_LENGTH
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH
from agency_site.ui.elements import button, link_button, mail_link, notice, outside_link, text_link
from agency_site.ui.forms import field, field_error

FORM = "consultant"

_HOURS_LENGTH = 40


def _consultant_page() -> rx.Component:
    return rx.fragment(
        rx.cond(
            ConsultantPage.ready & (ConsultantPage.reference == "") & has_permission(Permission.SET_HOURS),
            _new_consultant_card(),
            _consultant_record(),
        ),
        panel_question(
            ConsultantPage,
            DEACTIVATE,
            "Deactivate this consultant?",
            "No further booking can be made with this person. Upcoming ones stay and can be given to others: ",
            ConsultantPage.facts["upcoming"],
            ". The person's private calendars are no longer read; they can be removed under Busy calendars.",
            confirm=("Yes, deactivate", ConsultantPage.deactivate),
        ),
    )


def _consultant_record() -> rx.Component:
    facts = ConsultantPage.facts
    return detail_page(
        ConsultantPage,
        record_head(
            ConsultantPage.reference, facts["state"], facts["tone"], facts["name"], facts["hours"], _action_buttons(),
            label="Consultant",
        ),
        _affected_bookings(),
        rx.cond(
            ConsultantPage.panel == EDIT_FORM,
            edit_card(
                ConsultantPage, FORM, "Edit consultant", *_consultant_form_fields(), on_submit=ConsultantPage.save,
                focus=f"{FORM}-name",
            ),
        ),
        _consultant_card(),
        empty=("No consultant selected. Choose one from the list.", "All consultants", CONSULTANTS),
    )  # fmt: skip


def _action_buttons() -> rx.Component:
    return rx.cond(
        has_permission(Permission.SET_HOURS),
        rx.fragment(
            small_button("Edit", tone="ink", on_click=ConsultantPage.edit),
            rx.cond(
                ConsultantPage.facts["active"] == TICK,
                small_button("Deactivate", tone="ghost", on_click=ConsultantPage.ask_to_deactivate),
                small_button("Reactivate", tone="ghost", on_click=ConsultantPage.reactivate),
            ),
        ),
    )


def _affected_bookings() -> rx.Component:
    return rx.cond(
        ConsultantPage.affected,
        notice(
            rx.el.p("Existing bookings no longer fit but are not cancelled. Please move them or give them to another person."),
            rx.el.ul(rx.foreach(ConsultantPage.affected, _affected_item), class_name="office-log"),
            role="note",
        ),
    )  # fmt: skip


def _affected_item(booking: AffectedBooking) -> rx.Component:
    return rx.el.li(
        rx.el.a(booking.reference, href=booking.href, class_name="link"),
        rx.el.span(booking.when, ", ", booking.who),
        key=booking.reference,
    )


def _consultant_card() -> rx.Component:
    facts = ConsultantPage.facts
    upcoming = f"{LIST}?span=ahead&state=confirmed&sort=when&person=" + ConsultantPage.reference
    return card(
        "Consultant",
        fact_list(
            fact(
                FIELD_LABELS["email"],
                rx.cond(
                    facts["email"] != "", mail_link(facts["email"]), "None; notices go to the agency only."
                ),
            ),
            fact("Hours", facts["hours"]),
            fact("Ways", facts["ways"]),
            fact(
                FIELD_LABELS["video_link"],
                rx.cond(
                    facts["video_link"] != "",
                    outside_link(facts["video_link"], href=facts["video_link"], class_name="link"),
                    "None; clients of a video consultation read that the link follows.",
                ),
            ),
            fact("Upcoming", text_link(facts["upcoming"], upcoming)),
            fact("Changed", rx.fragment(facts["changed"], ", ", facts["author"])),
        ),
    )


def _new_consultant_card() -> rx.Component:
    return card(
        "New consultant",
        unvalidated_form(
            *_consultant_form_fields(),
            button_row(button("Add consultant", type="submit"), link_button("Cancel", CONSULTANTS, "ghost")),
            keep_draft(FORM),
            on_submit=ConsultantPage.save,
            class_name="office-form",
        ),
        identity="new-consultant",
    )


def _consultant_form_fields() -> tuple[rx.Component, ...]:
    draft: Any = ConsultantPage.draft
    errors: Any = ConsultantPage.errors
    return (
        field(FIELD_LABELS["name"], "name", form=FORM, error=errors["name"], default_value=draft["name"],
              max_length=NAME_LENGTH, auto_complete="off", kind="person", hint="Visitors read it."),
        field(FIELD_LABELS["email"], "email", form=FORM, error=errors["email"], default_value=draft["email"],
              max_length=EMAIL_LENGTH, type="email", optional="optional", auto_complete="off",
              hint="Notices of this person's bookings go there too."),
        _ways_field(draft, errors),
        field(FIELD_LABELS["video_link"], "video_link", form=FORM, error=errors["video_link"],
              default_value=draft["video_link"], max_length=LINK_LENGTH, type="url", optional="optional", auto_complete="off",
              hint="The person's own meeting room, such as https://meet.example.com/wanjiru. Clients who meet by video get it."),
        rx.el.fieldset(
            rx.el.legend("Hours", class_name="field-label"),
            small_note(
                "Such as 09:00-13:00. An empty day is off; without any hours the person works in all business hours. Clients "
                "book the times of consultations that fit in."
            ),
            field_pair(*(_day_field(day, label, draft, errors) for day, label in DAY_LABELS.items())),
            class_name="bookings-hours",
        ),
    )  # fmt: skip


def _ways_field(draft: Any, errors: Any) -> rx.Component:
    return rx.el.fieldset(
        rx.el.legend("Ways", class_name="field-label"),
        *(
            rx.el.label(
                rx.el.input(
                    type="checkbox", name=way.value, default_checked=draft[way.value] == TICK,
                    key=draft[way.value], aria_describedby=f"{FORM}-ways-error",
                ),
                label,
                class_name="office-tick",
            )
            for way, label in WAY_LABELS.items()
        ),
        field_error(errors["video"], f"{FORM}-ways-error"),
        class_name="bookings-choice",
    )  # fmt: skip


def _day_field(day: str, label: str, draft: Any, errors: Any) -> rx.Component:
    return field(
        label, day, form=FORM, error=errors[day], default_value=draft[day], max_length=_HOURS_LENGTH, required=False,
        auto_complete="off",
    )  # fmt: skip


CONSULTANT_DETAIL = detail_screen(
    ConsultantPage, CONSULTANT, "Consultant", _consultant_page, under=CONSULTANTS
)
