"""Components of the form that joins a waiting list, and of the private page of a person who has joined."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import reflex as rx

from agency_site.clock import format_moment
from agency_site.content.courses import course_by_slug
from agency_site.features.academy.reservations.rules import MOST_WAITING_PLACES, WaitingState
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.waiting_list.usecases import UNKNOWN_LINK, WaitingView
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH, PHONE_LENGTH
from agency_site.site.layout.private_page import change_result, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.choices import text_reminder_tick
from agency_site.ui.elements import button, link_button, notice
from agency_site.ui.form_guard import honeypot, stamp_input
from agency_site.ui.forms import button_form, small_print
from agency_site.ui.forms import field as form_field

_FORM, _FORM_ID = "waiting", "waiting-form"
_THANKS = "Please confirm your e-mail address."
_MAIL_COMES = (
    "An e-mail is on its way to you. You are on the waiting list once you have opened its link and confirmed."
)
_CANCELLED = "This course run has been cancelled, and so has its waiting list."

UNKNOWN_LIST = unknown_link(
    "There is no course run at this address.",
    link_button("Our courses", "/academy"),
    check="the whole address",
)
UNKNOWN_ENTRY = unknown_link(UNKNOWN_LINK, link_button("Our courses", "/academy"))


@dataclass(frozen=True)
class OpenList:
    """The waiting list of a run."""

    run: RunRecord
    closed: str
    """The reason why the list is closed; empty while it is open."""


@dataclass(frozen=True)
class JoinResult:
    """The result of the last submission of the form that joins a list."""

    is_accepted: bool = False
    failure: str = ""
    errors: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def waiting_form(open_list: OpenList, address: str, result: JoinResult) -> rx.Component:
    """Show the run, how its list works, and the form, which is posted to `address`."""
    return rx.fragment(
        rx.el.p(open_list.run.course_name, class_name="font-semibold text-muted"),
        rx.el.h1("Join the waiting list", class_name="mt-2"),
        rx.el.p(
            "All places of the run that starts on ",
            rx.el.strong(f"{format_moment(open_list.run.starts_at)}, Nairobi time"),
            " are taken. When one becomes free, we keep it for the first person on the list and e-mail them a link to take it. "
            "If you want several places, we offer them to you together.",
            class_name="text-lead mt-5 mb-8",
        ),
        _closing_notice(open_list) if open_list.closed else _join_form(address, result),
    )


def _closing_notice(open_list: OpenList) -> rx.Component:
    course = course_by_slug(open_list.run.course_slug)
    return rx.fragment(
        notice(rx.el.p(open_list.closed, class_name="font-semibold"), class_name="mb-6"),
        rx.el.a("See the course", href=course.path if course else "/academy", class_name="button button-ink"),
    )


def _join_form(address: str, result: JoinResult) -> rx.Component:
    errors = result.errors
    return rx.fragment(
        rx.el.form(
            form_field("Full Name", "fullName", form=_FORM, error=errors.get("fullName", ""), auto_complete="name",
                       max_length=NAME_LENGTH),
            form_field("Email", "email", form=_FORM, error=errors.get("email", ""), type="email", auto_complete="email",
                       max_length=EMAIL_LENGTH),
            form_field("Phone", "phone", form=_FORM, error=errors.get("phone", ""), type="tel", auto_complete="tel",
                       max_length=PHONE_LENGTH, optional="optional", placeholder="0712 345 678",
                       hint="When a place becomes free, we text you too."),
            text_reminder_tick("smsReminders"),
            form_field("Places", "places", form=_FORM, error=errors.get("places", ""), type="number", default_value="1",
                       enter_key_hint="send", custom_attrs={"min": "1", "max": str(MOST_WAITING_PLACES)}),
            button("Join the waiting list", type="submit", class_name="w-full"),
            honeypot(),
            stamp_input(),
            small_print("By joining you accept our"),
            id=_FORM_ID,
            action=address,
            method="post",
            custom_attrs={"noValidate": True},
            aria_label="Join the waiting list",
            class_name="panel",
        ),
        rx.el.div(*_join_result(result), class_name="mt-5 empty:hidden"),
    )  # fmt: skip


def _join_result(result: JoinResult) -> list[rx.Component]:
    if result.failure:
        return [notice(rx.el.p(result.failure, class_name="font-semibold"), tone="error")]
    if not result.is_accepted:
        return []
    return [
        notice(
            rx.el.p(_THANKS, class_name="font-semibold"),
            rx.el.p(_MAIL_COMES, class_name="mt-2"),
            tone="success",
            role="alert",
            id="waiting-joined",
            custom_attrs={"tabIndex": -1, "autoFocus": True},
        )
    ]


def waiting_entry(view: WaitingView, token: str, *, failure: str = "", done: str = "") -> rx.Component:
    """Show the position of the person on the list, a place that is kept, and how to leave."""
    entry, run = view.entry, view.run
    heading, text = _describe_entry(view)
    name = fact("Name", entry.fullname) if entry.fullname else rx.fragment()
    phone = fact("Phone", entry.phone) if entry.phone else rx.fragment()
    return rx.fragment(
        rx.el.p("Waiting list ", entry.reference, class_name="font-semibold text-muted"),
        rx.el.h1(heading, class_name="mt-2"),
        change_result(failure, done),
        rx.el.p(text, class_name="text-lead mb-6"),
        *_entry_actions(view, token),
        rx.el.dl(
            name,
            phone,
            fact("Course", run.course_name),
            fact("Starts", f"{format_moment(run.starts_at)}, Nairobi time"),
            class_name="panel grid gap-y-3",
        ),
        _leave_form(token) if is_on_list(view) else rx.fragment(),
    )


def is_on_list(view: WaitingView) -> bool:
    """Return whether the person waits, or has been offered a place."""
    return view.entry.state in (WaitingState.WAITING, WaitingState.OFFERED)


def is_unconfirmed(view: WaitingView) -> bool:
    """Return whether the e-mail address has yet to be confirmed."""
    return view.entry.state is WaitingState.WAITING and view.entry.confirmed_at is None


def _entry_actions(view: WaitingView, token: str) -> list[rx.Component]:
    entry, run = view.entry, view.run
    steps: list[rx.Component] = []
    if is_unconfirmed(view):
        steps.append(
            button_form(
                "Confirm your place on the list", f"/waiting/{token}/confirm", id="confirm-waiting", class_name="mb-8"
            )
        )  # fmt: skip
    if entry.state is WaitingState.OFFERED and not view.is_over:
        label = "Take the places" if entry.places > 1 else "Take the place"
        href = f"/payment?course={run.course_slug}&place={token}"
        steps.append(rx.el.a(label, href=href, class_name="button mb-6"))
    if (view.is_over or entry.state is WaitingState.CLOSED) and run.status is not RunStatus.CANCELLED:
        href = f"/waiting-list/{run.reference}"
        steps.append(rx.el.a("Join the waiting list again", href=href, class_name="button mb-6"))
    return steps


def _leave_form(token: str) -> rx.Component:
    return button_form(
        "Leave the waiting list", f"/waiting/{token}/leave", tone="ghost", id="leave-waiting-list", class_name="mt-8"
    )  # fmt: skip


def _describe_entry(view: WaitingView) -> tuple[str, str]:
    """Return the heading and the text for the state of the entry."""
    entry = view.entry
    if view.run.status is RunStatus.CANCELLED:
        return "This course run has been cancelled", _CANCELLED
    until = f"{format_moment(entry.reserved_until)}, Nairobi time" if entry.reserved_until else ""
    offer = "A place was kept for you" if entry.places == 1 else f"{entry.places} places were kept for you"
    if view.is_over:
        return (
            "This offer has expired",
            f"{offer} until {until}. {'They have' if entry.places > 1 else 'It has'} gone to the next person on the list. "
            "If you still want to come, please join the list again.",
        )
    if entry.state is WaitingState.OFFERED and entry.places > 1:
        return (
            f"{entry.places} places are kept for you",
            f"Take them until {until}. After that they go to the next person. You can take fewer.",
        )
    if entry.state is WaitingState.OFFERED:
        return "A place is kept for you", f"Take it until {until}. After that it goes to the next person."
    if entry.state is WaitingState.WAITING and entry.confirmed_at is None:
        return (
            "Please confirm",
            f"You will wait for {_count_places(entry.places)} once you have confirmed that this is your e-mail address.",
        )
    if entry.state is WaitingState.TAKEN:
        return (
            "You have a place",
            "You have a place in this course run. We look forward to seeing you.",
        )
    if entry.state is WaitingState.CLOSED:
        return "You are not on the waiting list", "You have left the list, or we have removed you from it."
    if entry.order_id:
        return (
            "You are on the waiting list",
            "You have already paid: as soon as places are free they are yours, and we will e-mail you.",
        )
    return (
        "You are on the waiting list",
        f"You are number {view.position}, waiting for {_count_places(entry.places)}. When it is your turn, we will keep "
        f"{'it' if entry.places == 1 else 'them'} for you and e-mail you a link.",
    )


def _count_places(places: int) -> str:
    return "a place" if places == 1 else f"{places} places together"
