"""The sections of a course page; each takes the course's record."""

import reflex as rx

from agency_site.content.course_schema import Course, Week
from agency_site.content.courses import related
from agency_site.money import kes
from agency_site.site.academy.open_runs import ENROLMENT_CLOSED, open_runs
from agency_site.site.academy.saved_courses import save_button
from agency_site.ui.blocks import facts, steps
from agency_site.ui.elements import (
    backdrop,
    breadcrumb,
    leading_picture,
    link_button,
    picture,
    section,
    spaced,
)
from agency_site.ui.icon import icon
from agency_site.ui.sharing import share_menu


def _enrol_label(course: Course) -> str:
    """Return the label of the enrol button."""
    return "Enroll for Free" if course.free else "Enroll Now"


def _course_buttons(course: Course) -> rx.Component:
    """Buttons to enrol and to book a consultation."""
    return rx.el.div(
        *spaced(
            _enrolment(course, _enrol_label(course), "self-center"),
            link_button("Book a Consultation", "/book", tone="ghost"),
        ),
        class_name="flex flex-wrap gap-3 mt-8",
    )


def _enrolment(course: Course, label: str, class_name: str) -> rx.Component:
    """The button to enrol, or a line if the course takes no new learners."""
    if not course.is_open:
        return rx.el.p(ENROLMENT_CLOSED, class_name=f"font-semibold {class_name}")
    return rx.el.a(label, href=course.enrol_href, class_name=f"button button-look {class_name}")


def course_hero(course: Course) -> rx.Component:
    """Title and promise beside the cover."""
    return rx.el.div(
        rx.el.div(
            breadcrumb(("Academy", "/academy"), here=course.short_title),
            rx.el.h1(course.title, class_name="max-w-[9.3em]"),
            rx.el.p(course.detail.lead, class_name="text-lead mt-5 max-w-[28.2em]"),
            _course_buttons(course),
            class_name="course-hero-copy",
        ),
        backdrop(leading_picture(course.head, "", 600, 600), "course-hero-art"),
        class_name="course-hero look-ground",
    )


def course_body(course: Course) -> rx.Component:
    """The page below its head."""
    return rx.fragment(
        _introduction(course),
        _weeks(course),
        _voice(course),
        _benefits(course),
        _next_steps(course),
        _closing(course),
    )


def _introduction(course: Course) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            _aside(course),
            rx.el.div(
                _overview(course),
                _learn(course),
                _audience(course),
                class_name="min-w-0 lg:order-first flex flex-col gap-[clamp(40px,5vw,64px)]",
            ),
            class_name="wrap grid items-start gap-x-[clamp(40px,6vw,88px)] gap-y-12 lg:grid-cols-[1fr_372px]",
        ),
        class_name="py-[clamp(36px,5.6vw,80px)]",
    )


def _overview(course: Course) -> rx.Component:
    first, *rest = course.detail.overview
    return rx.el.section(
        rx.el.h2("Overview"),
        rx.el.p(first, class_name="text-lead mt-5 max-w-[37.2em]"),
        *(rx.el.p(text, class_name="mt-4 max-w-[42.3em]") for text in rest),
    )


def _learn(course: Course) -> rx.Component:
    return rx.el.section(
        rx.el.h2(course.detail.learn_heading),
        rx.el.ul(
            *(rx.el.li(item, class_name="learn-item") for item in course.detail.learn),
            class_name="list-none p-0 mt-6 grid gap-x-10 sm:grid-cols-2",
        ),
    )


def _audience(course: Course) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Who it is for"),
        rx.el.ul(
            *(
                rx.el.li(who, class_name="text-lead border-t border-line py-4")
                for who in course.detail.audience
            ),
            class_name="list-none p-0 mt-6 max-w-[38.5em]",
        ),
    )


def _aside(course: Course) -> rx.Component:
    detail = course.detail
    return rx.el.aside(
        rx.el.div(
            rx.el.p(
                course.shown_price,
                class_name="display text-[clamp(2.2rem,10vw,2.75rem)] leading-none",
            ),
            _price_note(course),
            open_runs(course),
            rx.el.div(
                facts(
                    (
                        ("Duration", course.duration),
                        ("Format", detail.format),
                        ("Level", detail.level),
                        ("Certificate", detail.certificate),
                    )
                ),
                class_name="mt-6 mb-6",
            ),
            *spaced(
                _enrolment(course, "Enroll for Free" if course.free else "Enroll with M-Pesa", "w-full"),
                link_button("Book a Consultation", "/book", tone="ghost", class_name="w-full mt-3"),
            ),
            class_name="panel shadow-[0_24px_60px_var(--shade-12)]",
        ),
        rx.el.div(
            save_button(course),
            share_menu("Share", course.title, course.summary, course.path),
            class_name="grid grid-cols-1 min-[26.25rem]:grid-cols-2 lg:grid-cols-1 gap-3 items-start",
        ),
        aria_label=f"{course.title}: price and facts",
        class_name="course-aside",
    )


def _price_note(course: Course) -> rx.Component:
    if course.detail_price == course.payment_price:
        return rx.fragment()
    return rx.el.p(
        f"The payment page lists this course at {kes(course.payment_price)} and charges what it shows. You see the "
        "amount before any money moves.",
        role="note",
        class_name="text-small mt-3 text-muted",
    )


def _weeks(course: Course) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Week by week"),
                rx.el.p(
                    "Two hours each: one live with your teacher in the evening, Nairobi time, one on your own project "
                    "with comments on what you made. Live hours are recorded.",
                    class_name="text-lead mt-5 max-w-[23.1em]",
                ),
                class_name="lg:sticky lg:top-28 self-start",
            ),
            rx.el.ol(
                *(_week(number, week) for number, week in enumerate(course.detail.weeks, start=1)),
                class_name="course-weeks list-none p-0",
            ),
            class_name="wrap grid gap-x-[clamp(40px,6vw,96px)] gap-y-10 lg:grid-cols-[.8fr_1.5fr]",
        ),
        class_name="weeks-band py-[clamp(56px,8vw,112px)]",
    )


def _week(number: int, week: Week) -> rx.Component:
    return rx.el.li(
        rx.el.span(str(number), class_name="week-number", aria_hidden="true"),
        rx.el.div(
            rx.el.h3(rx.el.span(f"Week {number}: ", class_name="sr-only"), week.title),
            rx.el.p(week.text, class_name="mt-2 max-w-[38.5em]"),
            rx.el.p(rx.el.strong("You make: "), week.task, class_name="mt-3 max-w-[38.5em]"),
        ),
    )


def _voice(course: Course) -> rx.Component:
    voice = course.detail.voice
    return rx.el.section(
        rx.el.div(
            picture(voice.image, "", 400, 400, class_name="voice-picture"),
            rx.el.figure(
                rx.el.blockquote(rx.el.p(f"“{voice.quote}”"), class_name="voice-quote"),
                rx.el.figcaption(
                    rx.el.p(voice.name, class_name="font-semibold"), rx.el.p(voice.title), class_name="mt-6"
                ),
            ),
            class_name="wrap voice py-[clamp(48px,6vw,72px)]",
        ),
        class_name="look-ground",
        aria_label="What a learner says",
    )


def _benefits(course: Course) -> rx.Component:
    odd = len(course.detail.benefits) % 2 == 1
    columns = "md:grid-cols-3" if odd else "sm:grid-cols-2"
    return section(
        rx.el.div(
            rx.el.h2("What you gain", class_name="" if odd else "max-w-[6.7em]"),
            rx.el.dl(
                *(
                    rx.el.div(
                        rx.el.dt(benefit.title, class_name="display text-subheading"),
                        rx.el.dd(benefit.text, class_name="mt-2 text-muted max-w-[28.2em]"),
                        class_name="border-t-2 border-ink pt-5",
                    )
                    for benefit in course.detail.benefits
                ),
                class_name=f"grid gap-x-8 gap-y-10 {columns}",
            ),
            class_name=f"grid gap-10 {'' if odd else 'lg:grid-cols-[.6fr_1.5fr]'}",
        )
    )


def _next_steps(course: Course) -> rx.Component:
    place = (
        "Your name, e-mail and phone are all we ask for. No money changes hands, and your place is yours at once."
        if course.free
        else "You pay with M-Pesa on the payment page. Your place is yours the moment the payment arrives, and the "
        "receipt comes by e-mail."
    )
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Next steps"),
                rx.el.p("What happens after you enrol.", class_name="text-lead mt-4 mb-9"),
                steps(
                    (
                        ("1", "You are in", place),
                        (
                            "2",
                            "You hear from us",
                            "The dates and how to join come by e-mail.",
                        ),
                        ("3", "You get ready", course.detail.prepare),
                        (
                            "4",
                            "You finish with",
                            f"{course.detail.outcome} And with the Certification of Completion.",
                        ),
                    )
                ),
            ),
            _related(course),
            class_name="wrap grid gap-x-[clamp(40px,6vw,96px)] gap-y-14 lg:grid-cols-[1.7fr_1fr]",
        ),
        class_name="pb-[clamp(56px,8vw,112px)]",
    )


def _related(course: Course) -> rx.Component:
    return rx.el.div(
        rx.el.h2("Goes well with it", class_name="text-subheading mb-5"),
        *(_course_row(other) for other in related(course)),
    )


def _course_row(course: Course) -> rx.Component:
    """A line that leads to a course."""
    return rx.el.a(
        picture(course.cover, "", 160, 120),
        rx.el.div(
            rx.el.h3(course.title),
            rx.el.p(
                f"{course.weeks} weeks, {course.detail.level}", class_name="text-muted text-small mt-1.5"
            ),
        ),
        icon("arrow-right", class_name="hidden sm:block"),
        href=course.path,
        class_name="course-row",
    )


def _closing_title(course: Course) -> str:
    if not course.is_open:
        return f"Ask us when {course.short_title} opens again."
    return f"Take your place in {course.short_title}."


def _closing(course: Course) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2(_closing_title(course), class_name="max-w-[12em]"),
                rx.el.p(
                    "Not sure that it fits? Half an hour with one of the teachers costs nothing.",
                    class_name="text-lead mt-4 max-w-[29.5em]",
                ),
            ),
            _course_buttons(course),
            class_name="wrap flex flex-wrap items-end justify-between gap-x-10 py-[clamp(48px,6vw,88px)]",
        ),
        class_name="look-ground",
    )
