"""One page for two courses, at two paths: the track of the opened path comes first and is selected."""

import reflex as rx

from agency_site.content.course_schema import Course
from agency_site.content.courses import courses
from agency_site.content.entries import Kind
from agency_site.site.academy.sections import course_body
from agency_site.site.academy.structured_data import course_facts
from agency_site.site.layout.route import Route
from agency_site.ui.behaviours import TabList
from agency_site.ui.elements import backdrop, breadcrumb, leading_picture, spaced

_SLUGS = ("social-media-marketing", "digital-marketing-masterclass")
"""The first one has the canonical path."""
_CANONICAL = f"/{_SLUGS[0]}"


def tracks() -> tuple[Course, ...]:
    """Return the courses that share the page, in order."""
    return tuple(course for slug in _SLUGS for course in courses() if course.slug == slug)


def is_track(course: Course) -> bool:
    """Return whether the course shares its page with another one."""
    return course.slug in _SLUGS


class Track(rx.State):
    """The selected track; empty for the track of the opened path."""

    chosen: rx.Field[str] = rx.field("")
    _opened: bool = False

    @rx.event
    def open_page(self) -> None:
        """Show the track of the opened path, not the choice of an earlier visit."""
        # On the first visit a choice is from a click that was faster than this event, and must be kept.
        if self._opened:
            self.chosen = ""
        self._opened = True

    @rx.event
    def choose(self, slug: str) -> None:
        """Show a track; an unknown one is ignored."""
        if slug in _SLUGS:
            self.chosen = slug


def tracks_page(opened: Course) -> rx.Component:
    """Head, the two tabs, the two tracks; `opened` comes first."""
    ordered = (opened, *(course for course in tracks() if course.slug != opened.slug))
    return rx.fragment(
        _head(*ordered),
        rx.el.div(
            TabList.create(
                *spaced(*(_tab(course, opened) for course in ordered)),
                aria_label="Tracks",
                class_name="tracks",
            ),
            class_name="wrap tracks-wrap",
        ),
        *(_panel(course, opened) for course in ordered),
    )


def _is_selected(course: Course, opened: Course) -> rx.Var[bool]:
    if course.slug == opened.slug:
        return (Track.chosen == course.slug) | (Track.chosen == "")
    return Track.chosen == course.slug


def _head(first: Course, second: Course) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            breadcrumb(("Academy", "/academy"), here=first.short_title),
            rx.el.h1(
                rx.el.span(first.title, class_name="block max-w-[9.3em]"),
                rx.el.span(f"and the {second.title}" if second.slug == _SLUGS[1] else f"and {second.title}",
                           class_name="block mt-3 text-subheading tracking-tight"),
            ),
            rx.el.p(
                f"Two tracks on one page. Both run four weeks, two hours a week, online, {_prices(first, second)}. Take the "
                "one that fits what you do on a Monday morning.",
                class_name="text-lead mt-5 max-w-[28.2em]",
            ),
            class_name="course-hero-copy pb-[clamp(80px,9vw,136px)]",
        ),
        backdrop(leading_picture(first.head, "", 600, 600), "course-hero-art"),
        class_name=f"course-hero look-ground look-{first.look}",
    )  # fmt: skip


def _prices(first: Course, second: Course) -> str:
    if first.shown_price == second.shown_price:
        return f"at {first.shown_price}"
    return f"at {first.shown_price} and {second.shown_price}"


def _tab(course: Course, opened: Course) -> rx.Component:
    selected = _is_selected(course, opened)
    return rx.el.a(
        *spaced(
            rx.el.span(course.title, class_name="display text-subheading"),
            rx.el.span("Level: ", rx.el.strong(course.detail.level)),
            rx.el.span(course.summary, class_name="text-muted"),
        ),
        " ",
        rx.el.span(
            "Showing below", class_name="track-state look-mark font-semibold text-small", aria_hidden="true"
        ),
        href=f"{course.path}#track-{course.slug}",
        id=f"track-{course.slug}",
        role="tab",
        aria_selected=rx.cond(selected, "true", "false"),
        aria_controls=f"panel-{course.slug}",
        # A link, which opens the other path without scripts.
        on_click=[rx.prevent_default, Track.choose(course.slug)],  # type: ignore[operator]
        class_name=f"track-tab look-{course.look}",
    )


def _panel(course: Course, opened: Course) -> rx.Component:
    return rx.el.div(
        course_body(course),
        id=f"panel-{course.slug}",
        role="tabpanel",
        aria_labelledby=f"track-{course.slug}",
        class_name=f"track-panel look-{course.look}",
        custom_attrs={"data-shown": rx.cond(_is_selected(course, opened), "true", "false")},
    )


def _place(track: Course) -> str:
    """Return the address of a track on the canonical page."""
    return _CANONICAL if track.path == _CANONICAL else f"{_CANONICAL}#panel-{track.slug}"


def _route(course: Course) -> Route:
    return Route(
        path=course.path,
        title=course.title,
        description=course.search_description,
        body=lambda: tracks_page(course),
        on_load=(Track.open_page,),
        share_image=course.slug,
        canonical=_CANONICAL,
        label=course.short_title,
        above=(("Academy", "/academy"),),
        facts=tuple(course_facts(track, _place(track)) for track in tracks()),
        shows=frozenset({Kind.COURSE}),
    )


def track_routes() -> tuple[Route, ...]:
    """Return the page of the tracks at the path of each."""
    return tuple(_route(course) for course in tracks())
