"""Components of the page on which a buyer names learners."""

from collections.abc import Mapping
from types import MappingProxyType

import reflex as rx

from agency_site.clock import format_moment
from agency_site.features.academy.learners.naming import OrderPlaces
from agency_site.features.academy.learners.request import (
    email_field,
    name_field,
    phone_field,
    reminders_field,
)
from agency_site.features.academy.learners.usecases import LearnerRecord
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH, PHONE_LENGTH
from agency_site.places import UNKNOWN_ORDER
from agency_site.site.layout.private_page import change_result, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.choices import text_reminder_tick
from agency_site.ui.elements import link_button, notice
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import field, small_print

_FORM = "learners"
_NO_ERRORS: Mapping[str, str] = MappingProxyType({})

UNKNOWN = unknown_link(UNKNOWN_ORDER, link_button("Our courses", "/academy"), "the whole link")


def learner_names(
    places: OrderPlaces | str,
    token: str,
    *,
    failure: str = "",
    done: str = "",
    errors: Mapping[str, str] = _NO_ERRORS,
) -> rx.Component:
    """Show the places of the order with their learners, or the reason why learners cannot be named."""
    return rx.fragment(
        rx.el.h1("Learners' names"),
        change_result(failure, done),
        notice(rx.el.p(places), tone="info", role="status")
        if isinstance(places, str)
        else _places_form(places, token, errors),
        link_button("Back to the order", f"/order/{token}", tone="ghost", class_name="mt-6"),
    )


def _places_form(places: OrderPlaces, token: str, errors: Mapping[str, str]) -> rx.Component:
    run = places.course.run
    starts = fact("Starts", f"{format_moment(run.starts_at)}, Nairobi time") if run else rx.fragment()
    return rx.fragment(
        rx.el.dl(fact("Course", places.course.name), starts, class_name="panel grid gap-y-3"),
        rx.el.p(
            "Each learner gets the dates, a calendar file and their own link by e-mail. "
            "Name them now or later: a place without a name stays yours. ",
            _describe_deadline(places),
            " You can correct a mistake in a name or an address at any time: the learner keeps the place, "
            "and we send the link to a corrected address.",
            class_name="mt-6",
        ),
        rx.el.form(
            *(_place_fields(learner, errors) for learner in places.learners),
            honeypot(),
            rx.el.button("Save", type="submit", class_name="button"),
            small_print(),
            action=f"/order/{token}/learners",
            method="post",
            custom_attrs={"noValidate": True},
            aria_label="Learners' names",
            class_name="mt-6",
        ),
    )


def _describe_deadline(places: OrderPlaces) -> str:
    if places.has_deadline_passed:
        return "Places that have a name can no longer be given to another person here: please call us."
    if places.changes_until is None:
        return "You can give a place to another person until shortly before the start."
    return (
        f"You can give a place to another person until {format_moment(places.changes_until)}, Nairobi time."
    )


def _place_fields(learner: LearnerRecord, errors: Mapping[str, str]) -> rx.Component:
    name, email, phone = name_field(learner.number), email_field(learner.number), phone_field(learner.number)
    return rx.el.fieldset(
        rx.el.legend(f"Place {learner.number}", class_name="text-subheading px-2"),
        field(
            "Full name", name, form=_FORM, error=errors.get(name, ""), default_value=learner.fullname, auto_complete="off",
            max_length=NAME_LENGTH, required=False, kind="person",
        ),
        field(
            "Email", email, form=_FORM, error=errors.get(email, ""), default_value=learner.email, auto_complete="off",
            max_length=EMAIL_LENGTH, type="email", required=False,
        ),
        field(
            "Phone", phone, form=_FORM, error=errors.get(phone, ""), default_value=learner.phone, auto_complete="off",
            max_length=PHONE_LENGTH, type="tel", optional="optional", placeholder="0712 345 678",
            hint="For text messages about the place.",
        ),
        text_reminder_tick(reminders_field(learner.number)),
        class_name="panel mb-6",
    )  # fmt: skip
