"""Components of a learner's private page."""

import reflex as rx

from agency_site.features.academy.learner_page.state import (
    LearnerPage,
    MaterialItem,
    MessageItem,
    SessionItem,
)
from agency_site.features.academy.learners import UNKNOWN_LINK
from agency_site.features.academy.rules import JOIN_BEFORE
from agency_site.site.layout.private_link import change_result, private_link_page, unknown_link
from agency_site.ui.behaviours import Interval
from agency_site.ui.blocks import cover, fact
from agency_site.ui.elements import button, link_button, notice, outside_link
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import sent_mark
from agency_site.ui.icon import icon
from agency_site.ui.local_time import LocalTime
from agency_site.ui.values import choose, count, each

State = LearnerPage | type[LearnerPage]
_POLL_MS = 30_000
_MINUTES = JOIN_BEFORE.seconds // 60


def learner_panel() -> rx.Component:
    """The learner's course, or that the link opens none."""
    return private_link_page(LearnerPage, learner(), UNKNOWN_LEARNER, width="")


UNKNOWN_LEARNER = unknown_link(UNKNOWN_LINK, link_button("Our courses", "/academy"))


def learner(state: State = LearnerPage) -> rx.Component:
    """Course, next session with its room, all sessions, the calendar file; beside them what stays the same."""
    return rx.fragment(
        rx.el.p("Learner ", state.reference, class_name="font-semibold text-muted"),
        rx.el.h1(state.course, class_name="mt-2"),
        change_result(state.failure, state.done),
        choose(state.note != "", notice(rx.el.p(state.note), tone="info", role="group")),
        rx.el.div(
            rx.el.div(
                choose(state.next_moment != "", _next_session(state)),
                choose(state.certificate != "", _certificate(state)),
                choose(count(state.messages) > 0, _messages(state)),
                choose(state.run != "", _sessions(state)),
                class_name="grid gap-6",
            ),
            rx.el.div(
                _facts(state),
                choose(count(state.materials) > 0, _materials(state)),
                _send_again(state),
                class_name="grid gap-6",
            ),
            class_name="grid grid-cols-1 items-start gap-6 mt-6 lg:gap-10 lg:grid-cols-[1.6fr_1fr]",
        ),
        Interval.create(every=_POLL_MS, active=state.next_moment != "", on_tick=LearnerPage.poll),
    )


def _facts(state: State) -> rx.Component:
    return rx.el.div(
        choose(state.cover != "", cover(state.cover)),
        rx.el.dl(
            fact("Name", state.fullname),
            choose(state.run != "", fact("Course run", state.run)),
            choose(state.trainer != "", fact("Trainer", state.trainer)),
            class_name="grid gap-y-3 p-[clamp(22px,3vw,36px)]",
        ),
        class_name="panel p-0 overflow-hidden",
    )


def _next_session(state: State) -> rx.Component:
    join = outside_link("Join now", icon("external", size=18), href=state.room, class_name="button mt-4")
    soon = rx.el.p(
        f"The button to join appears here {_MINUTES} minutes before.", class_name="mt-2 text-small text-muted"
    )
    return rx.el.section(
        rx.el.h2("Next session", class_name="text-subheading mb-2"),
        rx.el.p(state.next_session, LocalTime.create(moment=state.next_moment), class_name="font-semibold"),
        rx.el.div(choose(state.room != "", join, soon), role="status"),
        class_name="panel",
    )


def _sessions(state: State) -> rx.Component:
    return rx.el.section(
        rx.el.h2("All sessions", class_name="text-subheading mb-4"),
        rx.el.ol(each(state.sessions, _session), class_name="grid gap-4"),
        rx.el.a(
            "Put them into my calendar",
            href=state.calendar_link,
            reload_document=True,
            class_name="button button-ink mt-6",
        ),
        class_name="panel",
    )


def _session(one: SessionItem) -> rx.Component:
    return rx.el.li(
        rx.el.p(
            rx.el.span(one.number, ". "),
            one.starts,
            LocalTime.create(moment=one.moment),
            class_name="font-semibold",
        ),
        rx.el.p(
            one.duration,
            choose(one.topic != "", rx.fragment(": ", one.topic)),
            choose(one.outcome != "", rx.fragment(" (", one.outcome, ")")),
            class_name="text-muted",
        ),
        key=one.moment,
    )


def _certificate(state: State) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Your certificate", class_name="text-subheading mb-2"),
        rx.el.p(
            "A person with this link can check it: number ",
            rx.el.a(state.certificate_short, href="/certificate/" + state.certificate, class_name="link"),
            ".",
        ),
        rx.el.a(
            "Download the PDF",
            href=state.link + "/certificate.pdf",
            reload_document=True,
            class_name="button button-ink mt-4",
        ),
        rx.el.form(
            choose(
                state.is_name_shown,
                rx.el.p("Whoever checks it sees your name."),
                rx.el.p("Whoever checks it does not see your name."),
            ),
            honeypot(),
            sent_mark(),
            rx.el.input(
                type="hidden", name="shown", value=choose(state.is_name_shown, "no", "yes"), read_only=True
            ),
            button(
                choose(state.is_name_shown, "Take my name off that page", "Show my name there"),
                type="submit",
                tone="ghost",
                class_name="mt-3",
            ),
            action=state.link + "/certificate-name",
            method="post",
            on_submit=LearnerPage.change_name_shown,
            class_name="mt-6",
        ),
        class_name="panel",
    )


def _messages(state: State) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Messages", class_name="text-subheading mb-4"),
        rx.el.ul(each(state.messages, _message), class_name="grid gap-6"),
        class_name="panel",
    )


def _message(one: MessageItem) -> rx.Component:
    return rx.el.li(
        rx.el.p(one.subject, class_name="font-semibold"),
        rx.el.p(one.at, class_name="text-small text-muted"),
        rx.el.p(one.text, class_name="mt-2 whitespace-pre-line"),
        key=one.key,
    )


def _materials(state: State) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Materials and recordings", class_name="text-subheading mb-4"),
        rx.el.ul(each(state.materials, _material), class_name="grid gap-4"),
        class_name="panel",
    )


def _material(one: MaterialItem) -> rx.Component:
    return rx.el.li(
        outside_link(one.title, href=one.address, class_name="link tall-link font-semibold break-words"),
        rx.el.p(one.about, class_name="text-small text-muted"),
        key=one.key,
    )


def _send_again(state: State) -> rx.Component:
    return rx.el.form(
        rx.el.p("Do you want to open this page elsewhere? We can send you its link."),
        honeypot(),
        sent_mark(),
        button("Send me my link again", type="submit", tone="ghost", class_name="mt-3"),
        action=state.link + "/send",
        method="post",
        on_submit=LearnerPage.send_again,
    )
