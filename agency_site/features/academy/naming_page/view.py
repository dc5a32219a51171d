"""Components of the page on which a buyer names learners."""

from typing import Any

import reflex as rx

from agency_site.features.academy.naming_page.state import NamingPage, PlaceFields
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH
from agency_site.places import UNKNOWN_ORDER
from agency_site.site.layout.private_link import change_result, private_link_page, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import link_button, notice
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import field, small_print
from agency_site.ui.values import choose, each

State = NamingPage | type[NamingPage]
_FORM = "learners"


def naming_panel() -> rx.Component:
    """The form, or that the link opens no order."""
    return private_link_page(NamingPage, naming(), unknown_order(), on_mount=NamingPage.begin)


def unknown_order() -> rx.Component:
    return unknown_link(UNKNOWN_ORDER, link_button("Our courses", "/academy"), "the whole link")


def naming(state: State = NamingPage) -> rx.Component:
    """Who takes each place of the order."""
    return rx.fragment(
        rx.el.h1("Who learns?"),
        change_result(state.failure, state.done),
        choose(
            state.closed != "",
            notice(rx.el.p(state.closed), tone="info", role="status"),
            _places(state),
        ),
        link_button("Back to the order", state.order_link, tone="ghost", class_name="mt-6"),
    )


def _places(state: State) -> rx.Component:
    return rx.fragment(
        rx.el.dl(
            fact("Course", state.course),
            choose(state.starts != "", fact("Starts", state.starts)),
            class_name="panel grid gap-y-3",
        ),
        rx.el.p(
            "Each learner gets the dates, a file for the calendar and a link of their own by e-mail. "
            "Name them now or later: a place without a name stays yours. ",
            choose(
                state.is_late,
                "Places that have a name can no longer be given to another person here: please call us.",
                choose(
                    state.deadline != "",
                    rx.fragment("You can give a place to another person until ", state.deadline, "."),
                    "You can give a place to another person until shortly before the start.",
                ),
            ),
            " You can correct a slip in a name or an address at any time: the place stays with its learner, "
            "and a corrected address gets the link.",
            class_name="mt-6",
        ),
        rx.el.form(
            each(state.places, _place),
            honeypot(),
            rx.el.button(
                choose(state.busy, "Saving...", "Save"),
                type="submit",
                disabled=state.busy,
                class_name="button",
            ),
            small_print(),
            action=state.link,
            method="post",
            on_submit=NamingPage.submit,
            custom_attrs={"noValidate": True},
            aria_label="Who learns",
            class_name="mt-6",
        ),
    )


def _place(place: PlaceFields) -> rx.Component:
    return rx.el.fieldset(
        rx.el.legend("Place ", place.number, class_name="text-subheading px-2"),
        *_fields(place),
        key=place.name_field,
        class_name="panel mb-6",
    )


def _input_id(name: str) -> dict[str, Any]:
    # Reflex names its reference to an element after the id: one made of a var would be another in every build.
    return {"id": None, "custom_attrs": {"id": f"{_FORM}-{name}"}}


def _fields(place: PlaceFields) -> tuple[rx.Component, rx.Component]:
    return (
        field(
            "Full name", place.name_field, form=_FORM, error=place.name_error, default_value=place.name, auto_complete="off",
            max_length=NAME_LENGTH, required=False, **_input_id(place.name_field),
        ),
        field(
            "Email", place.email_field, form=_FORM, error=place.email_error, default_value=place.email, auto_complete="off",
            max_length=EMAIL_LENGTH, type="email", required=False, **_input_id(place.email_field),
        ),
    )  # fmt: skip
