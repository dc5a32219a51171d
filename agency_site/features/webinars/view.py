"""The form on a webinar's page."""

from typing import Any

import reflex as rx

from agency_site.content.webinars import Webinar, WebinarStatus
from agency_site.features.webinars.state import BEGUN, CANCELLED, FULL, RegistrationForm
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH, PHONE_LENGTH
from agency_site.ui.behaviours import FocusWhen, ResetAfter
from agency_site.ui.elements import Text, button, outside_link
from agency_site.ui.form_guard import guard
from agency_site.ui.form_result import form_result
from agency_site.ui.forms import field, small_print
from agency_site.ui.icon import icon
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import cond, entry_of, negate

_FORM, _FORM_ID, _RESULT = "seat", "seat-form", "seat-reserved"
REGION = "seat"
CONFIRMATION_COMES = (
    "A confirmation is on its way to your mailbox. "
    "It has a file for your calendar and a link to cancel your seat."
)  # fmt: skip


Form = RegistrationForm | type[RegistrationForm]


def registration_region(webinar: Webinar) -> rx.Component:
    """Wrap the panel in a region that the server fills with the current number of seats."""
    return PageRegion.create(registration_panel(webinar), name=REGION)  # type: ignore[no-any-return]


def registration_panel(webinar: Webinar, state: Form = RegistrationForm) -> rx.Component:
    """The form of an upcoming webinar, the recording of a past one, or the note that it is cancelled."""
    if webinar.cancelled:
        return _note(
            "This webinar has been cancelled", "We have written to everyone who had reserved a seat."
        )
    if webinar.status is WebinarStatus.UPCOMING:
        return rx.el.section(
            rx.el.h2("Reserve a seat", class_name="text-subheading mb-3"),
            registration_form(webinar, state),
            class_name="panel",
        )
    if not webinar.recording:
        return _note("This webinar has taken place", "There is no recording yet.")
    return rx.el.section(
        rx.el.h2("This webinar has taken place", class_name="text-subheading mb-5"),
        outside_link(
            "Watch the recording", icon("external", size=18), href=webinar.recording, class_name="button"
        ),
        class_name="panel",
    )


def _note(title: str, text: str) -> rx.Component:
    return rx.el.section(
        rx.el.h2(title, class_name="text-subheading mb-5"), rx.el.p(text), class_name="panel"
    )


def registration_form(webinar: Webinar, state: Form = RegistrationForm) -> rx.Component:
    """Build the form with name, e-mail and phone. Its height stays the same when the server finds that the webinar is full."""
    here = state.webinar == webinar.id
    closed = here & (state.closed != "")
    return rx.fragment(
        _seats_note(webinar, here, state.closed),
        rx.el.form(
            rx.el.input(type="hidden", name="webinar", value=webinar.id),
            rx.el.fieldset(
                _contact_fields(here, state.errors),
                button("Reserve a seat", type="submit", class_name="w-full"),
                guard(state),
                small_print(),
                disabled=closed,
                class_name="border-0 p-0 m-0 min-w-0",
            ),
            id=_FORM_ID,
            action=webinar.href,
            method="post",
            on_submit=RegistrationForm.submit,
            custom_attrs={"noValidate": True},
            aria_label="Reserve a seat",
        ),
        ResetAfter.create(when=state.round, target=_FORM_ID),
        cond(here, form_result(state, _RESULT, rx.el.p(CONFIRMATION_COMES, class_name="mt-2"))),
        # The button that had the focus is disabled.
        FocusWhen.create(when=cond(closed, state.failure, ""), target=f"{_RESULT}-not"),
    )


def _contact_fields(here: Any, errors: Any) -> rx.Component:
    def error(name: str) -> Text:
        return cond(here, entry_of(errors, name), "")  # type: ignore[no-any-return]

    return rx.fragment(
        field("Full Name", "fullName", form=_FORM, error=error("fullName"), auto_complete="name",
              max_length=NAME_LENGTH),
        field("Email", "email", form=_FORM, error=error("email"), type="email", auto_complete="email",
              max_length=EMAIL_LENGTH),
        field("Phone", "phone", form=_FORM, error=error("phone"), type="tel", auto_complete="tel",
              max_length=PHONE_LENGTH, optional="optional", placeholder="0712 345 678", enter_key_hint="send"),
    )  # fmt: skip


def _count_seats(capacity: int) -> str:
    return "There is one seat. " if capacity == 1 else f"There are {capacity} seats. "


def _seats_note(webinar: Webinar, here: Any, closed: Any) -> rx.Component:
    """Show one of four sentences in the same grid cell, so that the height never changes."""

    def sentence(text: str, is_visible: Any, tone: str = "") -> rx.Component:
        return rx.el.p(text, class_name=cond(is_visible, tone, f"{tone} invisible".strip()))

    is_full, has_begun, is_off = (here & (closed == reason) for reason in (FULL, BEGUN, CANCELLED))
    is_open = negate(is_full | has_begun | is_off)
    seats = _count_seats(webinar.capacity) if webinar.capacity else ""
    return rx.el.div(
        sentence(f"{seats}You will get a confirmation with a file for your calendar.", is_open, "text-muted"),
        sentence(
            "This webinar is full: every seat is taken.", is_full, "font-semibold"
        ),
        sentence("This webinar has begun, so registration is closed.", has_begun, "font-semibold"),
        sentence("This webinar has been cancelled.", is_off, "font-semibold"),
        class_name="grid [&>*]:[grid-area:1/1] mb-6",
    )  # fmt: skip
