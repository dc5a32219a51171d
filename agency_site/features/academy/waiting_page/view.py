"""Components of the form that joins a waiting list, and of the private page of who has joined."""

import reflex as rx

from agency_site.features.academy.rules import MOST_WAITING_PLACES
from agency_site.features.academy.waiting_list import UNKNOWN_LINK
from agency_site.features.academy.waiting_page.state import WaitingForm, WaitingPage
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH
from agency_site.site.layout.private_link import change_result, private_link_page, unknown_link
from agency_site.ui.behaviours import ResetAfter
from agency_site.ui.blocks import fact
from agency_site.ui.elements import button, link_button, notice
from agency_site.ui.form_guard import guard
from agency_site.ui.form_result import form_result
from agency_site.ui.forms import button_form, field, small_print
from agency_site.ui.values import choose, entry_of

Form = WaitingForm | type[WaitingForm]
State = WaitingPage | type[WaitingPage]
_FORM, _FORM_ID = "waiting", "waiting-form"

UNKNOWN_LIST = unknown_link(
    "We know no course run under this address.",
    link_button("Our courses", "/academy"),
    check="the whole address",
)
UNKNOWN_ENTRY = unknown_link(UNKNOWN_LINK, link_button("Our courses", "/academy"))


def waiting_form_panel() -> rx.Component:
    """The form, or that there is no such run."""
    return private_link_page(WaitingForm, waiting_form(), UNKNOWN_LIST)


def waiting_form(state: Form = WaitingForm) -> rx.Component:
    """For which run it is, how the list works, name and e-mail address."""
    return rx.fragment(
        rx.el.p(state.course, class_name="font-semibold text-muted"),
        rx.el.h1("Join the waiting list", class_name="mt-2"),
        rx.el.p(
            "All places of the run that starts on ",
            rx.el.strong(state.starts),
            " are taken. When one becomes free it is kept for the first of the list, who gets an e-mail with a link to take it. "
            "If you want several places together, they are offered to you together.",
            class_name="text-lead mt-5 mb-8",
        ),
        choose(state.closed != "", _closed(state), _open_form(state)),
    )


def _closed(state: Form) -> rx.Component:
    return rx.fragment(
        notice(rx.el.p(state.closed, class_name="font-semibold"), class_name="mb-6"),
        rx.el.a("See the course", href=state.course_link, class_name="button button-ink"),
    )


def _open_form(state: Form) -> rx.Component:
    return rx.fragment(
        rx.el.form(
            field("Full Name", "fullName", form=_FORM, error=entry_of(state.errors, "fullName"), auto_complete="name",
                  max_length=NAME_LENGTH),
            field("Email", "email", form=_FORM, error=entry_of(state.errors, "email"), type="email", auto_complete="email",
                  max_length=EMAIL_LENGTH),
            field("Places", "places", form=_FORM, error=entry_of(state.errors, "places"), type="number", default_value="1",
                  input_mode="numeric", custom_attrs={"min": "1", "max": str(MOST_WAITING_PLACES)}),
            button("Join the waiting list", type="submit", class_name="w-full"),
            guard(state),
            small_print("By joining you accept our"),
            id=_FORM_ID,
            action=state.link + f"#{_FORM_ID}",
            method="post",
            on_mount=WaitingForm.begin,
            on_submit=WaitingForm.submit,
            custom_attrs={"noValidate": True},
            aria_label="Join the waiting list",
            class_name="panel",
        ),
        ResetAfter.create(when=state.round, target=_FORM_ID),
        form_result(state, "waiting-joined"),
    )  # fmt: skip


def waiting_panel() -> rx.Component:
    """The entry, or that the link opens none."""
    return private_link_page(WaitingPage, waiting(), UNKNOWN_ENTRY)


def waiting(state: State = WaitingPage) -> rx.Component:
    """Where the person is in the list, the place that is kept, and how to leave."""
    return rx.fragment(
        rx.el.p("Waiting list ", state.reference, class_name="font-semibold text-muted"),
        rx.el.h1(state.heading, class_name="mt-2"),
        change_result(state.failure, state.done),
        rx.el.p(state.text, class_name="text-lead mb-6"),
        choose(
            state.can_confirm,
            button_form(
                "Confirm your place in the list", state.link + "/confirm", WaitingPage.confirm,
                id="confirm-waiting", class_name="mb-8",
            ),
        ),
        choose(
            state.place_link != "",
            rx.el.a(
                choose(state.places > 1, "Take the places", "Take the place"),
                href=state.place_link,
                reload_document=True,
                class_name="button mb-6",
            ),
        ),
        choose(
            state.list_link != "",
            rx.el.a("Join the waiting list again", href=state.list_link, class_name="button mb-6"),
        ),
        rx.el.dl(
            choose(state.fullname != "", fact("Name", state.fullname)),
            fact("Course", state.course),
            fact("Starts", state.starts),
            class_name="panel grid gap-y-3",
        ),
        choose(
            state.can_leave,
            button_form(
                "Leave the waiting list", state.link + "/leave", WaitingPage.leave, tone="ghost",
                id="leave-waiting-list", class_name="mt-8",
            ),
        ),
    )  # fmt: skip
