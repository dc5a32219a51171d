"""Courses that a visitor has saved for later, in the browser's storage only."""

import reflex as rx

from agency_site.content.course_schema import Course
from agency_site.content.courses import courses, featured
from agency_site.site.layout.route import shown_from
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import picture
from agency_site.ui.icon import icon

_STORAGE_KEY = "agency-saved-courses"


class SavedCourses(rx.State):
    """The list in the browser's storage."""

    stored: str = rx.LocalStorage("", name=_STORAGE_KEY, sync=True)
    """Slugs, comma-separated. The browser may contain any text; `slugs` returns only existing courses."""

    removals: rx.Field[int] = rx.field(0)
    """Number of removals: after each one, focus moves from the removed row to the heading."""

    @rx.var
    def slugs(self) -> list[str]:
        """The saved courses, in the order of the payment list."""
        stored_slugs = self.stored.split(",")
        return [course.slug for course in courses() if course.slug in stored_slugs]

    @rx.event
    def toggle(self, slug: str) -> None:
        """Save a course, or remove it from the list; an unknown one is ignored."""
        if slug not in [course.slug for course in courses()]:
            return
        self.removals += slug in self.slugs
        others = [other for other in self.slugs if other != slug]
        self.stored = ",".join(others if slug in self.slugs else [*others, slug])


def save_button(course: Course) -> rx.Component:
    """A button that saves this course or removes it, with a confirmation below."""
    saved = SavedCourses.slugs.contains(course.slug)
    return rx.el.div(
        rx.el.button(
            rx.cond(saved, icon("bookmark-full", size=20), icon("bookmark", size=20)),
            rx.cond(saved, "Remove from your list", "Save for later"),
            type="button",
            on_click=SavedCourses.toggle(course.slug),  # type: ignore[operator]
            class_name="quiet-button",
        ),
        rx.el.p(
            rx.cond(
                saved,
                rx.fragment(
                    "Saved in this browser. ",
                    rx.el.a("Your saved courses", href="/academy", class_name="link"),
                ),
                "",
            ),
            role="status",
            class_name="text-small mt-2 empty:mt-0",
        ),
        class_name="needs-scripts",
        custom_attrs=shown_from(_STORAGE_KEY),
    )


def saved_courses() -> rx.Component:
    """The list on the academy page, if it has a course."""
    is_empty = SavedCourses.slugs.length() == 0
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Your saved courses", class_name="text-subheading", id="saved-heading"),
            FocusWhen.create(
                when=SavedCourses.removals, target=rx.cond(is_empty, "courses-heading", "saved-heading")
            ),
            rx.el.ul(*(_saved_row(course) for course in featured()), class_name="list-none p-0"),
            class_name="wrap py-8 grid gap-x-12 gap-y-4 lg:grid-cols-[1fr_1.6fr] items-start",
        ),
        class_name="bg-sand",
        aria_labelledby="saved-heading",
        hidden=is_empty,
        custom_attrs=shown_from(_STORAGE_KEY),
    )


def _saved_row(course: Course) -> rx.Component:
    return rx.cond(
        SavedCourses.slugs.contains(course.slug),
        rx.el.li(
            picture(course.cover, "", 72, 48, class_name="w-[72px] h-12 object-cover rounded-lg"),
            rx.el.a(course.title, href=course.path, class_name="font-semibold grow min-w-[6.4em] py-2.5"),
            rx.el.button(
                icon("close", size=20),
                rx.el.span(f"Remove {course.title} from your list", class_name="sr-only"),
                type="button",
                on_click=SavedCourses.toggle(course.slug),  # type: ignore[operator]
                class_name="grid place-items-center w-11 h-11 rounded-pill bg-transparent hover:bg-line cursor-pointer border-0",
            ),
            key=course.slug,
            class_name="flex items-center gap-4 border-t border-ink/15 py-2 first:border-0",
        ),
    )
