"""Components of a learner's private page."""

from collections.abc import Sequence
from datetime import datetime

import reflex as rx

from agency_site.clock import format_date, format_moment, in_nairobi, now
from agency_site.content.courses import course_by_slug
from agency_site.features.academy.learners.records import CertificateRecord
from agency_site.features.academy.learners.usecases import UNKNOWN_LINK, LearnerView
from agency_site.features.academy.runs.records import MaterialRecord, MessageRecord, RunRecord, SessionRecord
from agency_site.features.academy.runs.rules import JOIN_BEFORE, MaterialKind, RunStatus, can_join
from agency_site.site.layout.private_page import change_result, unknown_link
from agency_site.ui.blocks import cover, fact
from agency_site.ui.elements import button, link_button, notice, outside_link
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import sent_mark
from agency_site.ui.icon import icon
from agency_site.ui.local_time import LocalTime

_PLACED_LATER = "We will e-mail you the start date and the joining details."
_CANCELLED = "This course run has been cancelled. We will write to you about another date."
_ENDED = "This place has ended. If you did not expect this, please call us."
_OVER = "All sessions have taken place. We hope you learned a lot."
_NO_SESSIONS = "The dates of the sessions will be shown here soon."
_MINUTES = JOIN_BEFORE.seconds // 60

UNKNOWN_LEARNER = unknown_link(UNKNOWN_LINK, link_button("Our courses", "/academy"))


def learner(view: LearnerView, link: str, *, failure: str = "", done: str = "") -> rx.Component:
    """Show the next session with its room, and all sessions. The column beside them has what rarely changes.

    `link` is the path of the page.
    """
    note = _choose_note(view)
    return rx.fragment(
        rx.el.p("Learner ", view.learner.reference, class_name="font-semibold text-muted"),
        rx.el.h1(view.course.name, class_name="mt-2"),
        change_result(failure, done),
        notice(rx.el.p(note), tone="info", role="group") if note else rx.fragment(),
        rx.el.div(
            rx.el.div(*_changing_panels(view, link), class_name="grid gap-6"),
            rx.el.div(*_lasting_panels(view, link), class_name="grid gap-6"),
            class_name="grid grid-cols-1 items-start gap-6 mt-6 lg:gap-10 lg:grid-cols-[1.6fr_1fr]",
        ),
    )


def find_seconds_to_change(view: LearnerView) -> float:
    """Return the seconds until the next room opens, or the open one closes; 0 if there are no more sessions."""
    session, moment = _find_next_session(view), now()
    if session is None:
        return 0
    change = session.ends_at if _is_open(session, moment) else session.starts_at - JOIN_BEFORE
    return (change - moment).total_seconds()


def _has_sessions(view: LearnerView) -> bool:
    return view.course.is_scheduled and not view.course.has_ended


def _find_next_session(view: LearnerView) -> SessionRecord | None:
    if not _has_sessions(view):
        return None
    moment = now()
    return next((session for session in view.course.sessions if session.ends_at > moment), None)


def _is_open(session: SessionRecord, moment: datetime) -> bool:
    return can_join(session.starts_at, session.ends_at, moment)


def _find_valid_certificate(view: LearnerView) -> CertificateRecord | None:
    return view.certificate if view.certificate and view.certificate.is_valid else None


def _choose_note(view: LearnerView) -> str:
    course = view.course
    if course.has_ended:
        return _ENDED
    if course.run is None:
        return _PLACED_LATER
    if course.run.status is RunStatus.CANCELLED:
        return _CANCELLED
    if not course.sessions:
        return _NO_SESSIONS
    return "" if _find_next_session(view) else _OVER


def _changing_panels(view: LearnerView, link: str) -> list[rx.Component]:
    run, panels = view.course.run, []
    if session := _find_next_session(view):
        panels.append(_next_session_panel(session, run.room if run else ""))
    if certificate := _find_valid_certificate(view):
        panels.append(_certificate_panel(certificate, link))
    if view.messages and not view.course.has_ended:
        panels.append(_messages_panel(view.messages))
    if run and _has_sessions(view):
        panels.append(_sessions_panel(view, link))
    return panels


def _lasting_panels(view: LearnerView, link: str) -> list[rx.Component]:
    panels = [_course_panel(view)]
    if view.materials and not view.course.has_ended:
        panels.append(_materials_panel(view.materials))
    if not view.is_confirmed:
        panels.append(_confirmation_form(link))
    return [*panels, _send_link_form(link)]


def _course_panel(view: LearnerView) -> rx.Component:
    content = course_by_slug(view.course.slug)
    run = view.course.run if _has_sessions(view) else None
    return rx.el.div(
        cover(content.cover) if content and content.cover else rx.fragment(),
        rx.el.dl(
            fact("Name", view.learner.fullname),
            *_run_facts(run),
            class_name="grid gap-y-3 p-[clamp(22px,3vw,36px)]",
        ),
        class_name="panel p-0 overflow-hidden",
    )


def _run_facts(run: RunRecord | None) -> list[rx.Component]:
    if run is None:
        return []
    trainer = [fact("Trainer", run.trainer)] if run.trainer else []
    return [fact("Course run", run.reference), *trainer]


def _next_session_panel(session: SessionRecord, room: str) -> rx.Component:
    if room and _is_open(session, now()):
        joining = outside_link("Join now", icon("external", size=18), href=room, class_name="button mt-4")
    else:
        soon = f"The button to join appears here {_MINUTES} minutes before."
        joining = rx.el.p(soon, class_name="mt-2 text-small text-muted")
    return rx.el.section(
        rx.el.h2("Next session", class_name="text-subheading mb-2"),
        rx.el.p(
            f"{format_moment(session.starts_at)}, Nairobi time",
            LocalTime.create(moment=session.starts_at.isoformat()),
            class_name="font-semibold",
        ),
        rx.el.div(joining, role="status"),
        class_name="panel",
    )


def _sessions_panel(view: LearnerView, link: str) -> rx.Component:
    sessions = enumerate(view.course.sessions, start=1)
    return rx.el.section(
        rx.el.h2("All sessions", class_name="text-subheading mb-4"),
        rx.el.ol(
            *(
                _session(number, session, has_attended=session.id in view.attended)
                for number, session in sessions
            ),
            class_name="grid gap-4",
        ),
        rx.el.a("Add to my calendar", href=f"{link}/calendar.ics", class_name="button button-ink mt-6"),
        class_name="panel",
    )


def _session(number: int, session: SessionRecord, *, has_attended: bool) -> rx.Component:
    outcome = "Attended" if has_attended else "Over" if session.ends_at <= now() else ""
    topic = f": {session.topic}" if session.topic else ""
    return rx.el.li(
        rx.el.p(
            rx.el.span(f"{number}. "),
            f"{format_moment(session.starts_at)} to {in_nairobi(session.ends_at):%H:%M}, Nairobi time",
            LocalTime.create(moment=session.starts_at.isoformat()),
            class_name="font-semibold",
        ),
        rx.el.p(
            f"{session.minutes} minutes{topic}{f' ({outcome})' if outcome else ''}", class_name="text-muted"
        ),
    )


def _certificate_panel(certificate: CertificateRecord, link: str) -> rx.Component:
    is_name_shown = certificate.is_name_shown
    state = f"The page that confirms it {'shows' if is_name_shown else 'does not show'} your name."
    return rx.el.section(
        rx.el.h2("Your certificate", class_name="text-subheading mb-2"),
        rx.el.p(
            "Anyone with this link can check it: number ",
            rx.el.a(certificate.short_serial, href=f"/certificate/{certificate.serial}", class_name="link"),
            ".",
        ),
        rx.el.a("Download the PDF", href=f"{link}/certificate.pdf", class_name="button button-ink mt-4"),
        rx.el.form(
            rx.el.p(state),
            honeypot(),
            sent_mark(),
            rx.el.input(type="hidden", name="shown", value="no" if is_name_shown else "yes"),
            button(
                "Hide my name on that page" if is_name_shown else "Show my name there",
                type="submit",
                tone="ghost",
                class_name="mt-3",
            ),
            action=f"{link}/certificate-name",
            method="post",
            class_name="mt-6",
        ),
        class_name="panel",
    )


def _messages_panel(messages: Sequence[MessageRecord]) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Messages", class_name="text-subheading mb-4"),
        rx.el.ul(*map(_message, messages), class_name="grid gap-6"),
        class_name="panel",
    )


def _message(message: MessageRecord) -> rx.Component:
    return rx.el.li(
        rx.el.p(message.subject, class_name="font-semibold"),
        rx.el.p(f"{format_moment(message.at)}, Nairobi time", class_name="text-small text-muted"),
        rx.el.p(message.text, class_name="mt-2 whitespace-pre-line"),
    )


def _materials_panel(materials: Sequence[MaterialRecord]) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Materials and recordings", class_name="text-subheading mb-4"),
        rx.el.ul(*map(_material, materials), class_name="grid gap-4"),
        class_name="panel",
    )


def _material(material: MaterialRecord) -> rx.Component:
    kind = "Recording" if material.kind is MaterialKind.RECORDING else "Material"
    link = "link tall-link font-semibold break-words"
    return rx.el.li(
        outside_link(material.title, href=material.address, class_name=link),
        rx.el.p(
            f"{kind}, added {format_date(in_nairobi(material.added_at))}", class_name="text-small text-muted"
        ),
    )


def _confirmation_form(link: str) -> rx.Component:
    return rx.el.form(
        rx.el.p(
            "Is the address to which we sent this link your own? Then our e-mails can greet you by name."
        ),
        honeypot(),
        sent_mark(),
        button("Yes, confirm my address", type="submit", tone="ghost", class_name="mt-3"),
        action=f"{link}/confirm",
        method="post",
    )


def _send_link_form(link: str) -> rx.Component:
    return rx.el.form(
        rx.el.p("Do you want to open this page on another device? We can send you the link."),
        honeypot(),
        sent_mark(),
        button("Send me my link again", type="submit", tone="ghost", class_name="mt-3"),
        action=f"{link}/send",
        method="post",
    )
