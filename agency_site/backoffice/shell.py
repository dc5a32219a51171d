"""The frame around every back-office page: navigation, search, warnings, the result of the last event."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from agency_site.auth.pages import ACCOUNT
from agency_site.backoffice.behaviours import (
    FocusShortcut,
    InSight,
    Leave,
    OfficeStates,
    PageTitle,
    PostedForm,
    RouteFocus,
)
from agency_site.backoffice.drafts import draft_keeper
from agency_site.backoffice.lists.definition import COUNTED, MORE
from agency_site.backoffice.screens import (
    COUNT_MS,
    REFRESH_MS,
    Screen,
    ScreenGroup,
    register_screens,
    screen_groups,
    screens,
)
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.content.brand import BRAND
from agency_site.ui.behaviours import HydrationMarker, Interval
from agency_site.ui.elements import fragment_link, notice, picture, skeleton
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import PlainAnchor, has_too_many_connection_errors

STYLES = (
    "office", "office-bookings", "office-calendar", "office-content", "office-forms", "office-letters", "office-mail",
    "office-money", "office-staff",
)  # fmt: skip
"""Stylesheets of the back office, linked by its own pages only: public pages never load them."""


_subject: Any = StaffState.subject


def shell(screen: Screen) -> rx.Component:
    """The frame: skip link, navigation, heading, and the page's content once access is granted."""
    return rx.el.div(
        OfficeStates.create(),
        Leave.create(to=StaffState.away),
        fragment_link("Skip to content", fragment="content", class_name="skip"),
        RouteFocus.create(),
        PageTitle.create(subject=_subject.join(" "), title=_title(screen)),
        HydrationMarker.create(ready=rx.State.is_hydrated),
        draft_keeper(),
        Interval.create(every=REFRESH_MS, active=StaffState.opened, on_tick=StaffState.stay),
        Interval.create(every=COUNT_MS, active=StaffState.opened, on_tick=StaffState.refresh_badges),
        _connection_line(),
        navigation(here=screen.under or screen.path),
        rx.el.div(
            _top_bar(),
            rx.el.main(
                _warning_bar(),
                rx.el.h1(
                    screen.title,
                    rx.cond(StaffState.subject, rx.el.span(" ", _subject[0], class_name="sr-only")),
                    class_name="office-title",
                ),
                _event_result(),
                rx.cond(StaffState.opened, screen.body(), _placeholder()),
                id="content",
                # Its content comes over the socket, so scripts load at once.
                custom_attrs={"tabIndex": -1, "data-hydrates": ""},
                class_name="office-main",
            ),
            class_name="office-body",
        ),
        class_name="office",
    )


def register_back_office(app: rx.App, *groups: ScreenGroup) -> None:
    """Register the screens with the back office and with Reflex. Raises ValueError if two share a path."""
    register_screens(*groups)
    paths: set[str] = set()
    for screen in screens():
        if screen.path in paths:
            raise ValueError(f"two screens have the path {screen.path}")
        paths.add(screen.path)
        app.add_page(
            _component(screen),
            route=screen.path.strip("/"),
            title=_title(screen),
            description="For staff.",
            meta=[
                {"name": "robots", "content": "noindex, nofollow"},
                # Not no-referrer, with which browsers hide the origin of our own sign-out form.
                {"name": "referrer", "content": "same-origin"},
                *(rx.el.link(rel="stylesheet", href=f"/styles/{name}.css") for name in STYLES),
            ],
            on_load=list(screen.on_load),
        )


def _title(screen: Screen) -> str:
    return f"{screen.title} | Back office | {BRAND.name}"


def _component(screen: Screen) -> Callable[[], rx.Component]:
    def page() -> rx.Component:
        return shell(screen)

    page.__name__ = screen.path.strip("/").replace("/", "_").replace("-", "_")
    # Reflex stores compiled parts under the module of the page's function.
    page.__module__ = screen.body.__module__
    return page


@rx.memo
def navigation(here: rx.Var[str]) -> rx.Component:
    """Brand and entries of all screens; the entry of the screen at the path `here` is marked.

    A memo, because it is the same on every page: Reflex compiles it once. It is evaluated when all screens are registered.
    """
    # Twice, because a collapsible menu that is open only on wide screens would need a script.
    return rx.el.header(
        rx.el.a(
            picture("/favicon.svg", "", 36, 36, loading="eager"),
            rx.el.span(BRAND.name),
            href="/admin",
            class_name="office-brand",
        ),
        rx.el.nav(_entries(here), aria_label="Back office", class_name="office-nav"),
        rx.el.details(
            rx.el.summary(icon("menu"), rx.el.span("Menu", class_name="sr-only")),
            rx.el.nav(_entries(here), aria_label="Menu"),
            class_name="office-menu",
            custom_attrs={"data-menu": ""},
        ),
        class_name="office-side",
    )


def _entries(here: rx.Var[str]) -> rx.Component:
    return rx.fragment(*(_group(group, here) for group in screen_groups()))


def _group(group: ScreenGroup, here: rx.Var[str]) -> rx.Component:
    entries = (_entry(screen, here == screen.path) for screen in group.screens if screen.icon)
    counts = (_attention(screen) for screen in group.screens if screen.count_attention)
    attention = sum(counts, rx.Var.create(0))
    # The stylesheet hides a group without a permitted entry, and the sum of an open one.
    return rx.el.details(
        rx.el.summary(icon("chevron-down", size=18), group.title, rx.cond(attention > 0, _count(attention))),
        rx.el.ul(*entries),
        open=rx.Var.create([screen.path for screen in group.screens]).contains(here),
        class_name="office-group",
        custom_attrs={"data-stays": ""},
    )


def _entry(screen: Screen, is_current: rx.Var[bool]) -> rx.Component:
    attention = _attention(screen)
    return rx.cond(
        has_permission(screen.permission),
        rx.el.li(
            rx.el.a(
                icon(screen.icon, size=20),
                rx.el.span(screen.title),
                href=screen.path,
                custom_attrs={"aria-current": rx.cond(is_current, "page", rx.Var("undefined"))},
            ),
            # The entries of an owner are higher than a laptop's screen.
            rx.cond(is_current, InSight.create()),
            rx.cond(attention > 0, _attention_link(screen, attention))
            if screen.count_attention
            else rx.fragment(),
        ),
    )


def _attention(screen: Screen) -> Any:
    return StaffState.badges.get(screen.path, 0).to(int)  # type: ignore[attr-defined]


def _attention_link(screen: Screen, attention: Any) -> rx.Component:
    return rx.el.a(
        rx.el.span(screen.title, ": ", class_name="sr-only"),
        _count(attention),
        href=screen.attention_href,
        class_name="office-waiting",
    )


def _count(attention: Any) -> rx.Component:
    number = rx.cond(attention > COUNTED, MORE, attention.to_string())
    return rx.el.span(number, rx.el.span(" waiting", class_name="sr-only"), class_name="office-count")


def _top_bar() -> rx.Component:
    return rx.el.div(
        rx.el.form(
            rx.el.label("Search", html_for="office-search", class_name="sr-only"),
            icon("search", size=20),
            rx.el.input(
                id="office-search",
                name="q",
                type="search",
                placeholder="Reference, name, e-mail, phone",
                default_value=StaffState.search_words,
                key=StaffState.search_words,
                max_length=80,
                auto_complete="off",
                custom_attrs={"aria-keyshortcuts": "Control+K Meta+K"},
            ),
            rx.el.kbd("Ctrl K", aria_hidden="true"),
            FocusShortcut.create(target="office-search"),
            on_submit=StaffState.search,
            role="search",
            class_name="office-search",
        ),
        rx.el.nav(
            PlainAnchor.create("View site", href="/", class_name="office-quiet"),
            rx.el.a(
                icon("user", size=20),
                rx.el.span(
                    rx.cond(StaffState.name != "", StaffState.name, "Your account"),
                    rx.el.small(StaffState.role),
                ),
                href=ACCOUNT,
                class_name="office-me",
            ),
            PostedForm.create(
                rx.el.button("Sign out", type="submit", class_name="office-quiet"),
                action="/admin/sign-out",
                method="post",
            ),
            aria_label="You",
            class_name="office-self",
        ),
        class_name="office-top",
    )


def _connection_line() -> rx.Component:
    """The back office's notice of a lost connection; its stylesheet hides that of public pages."""
    return rx.cond(
        has_too_many_connection_errors,
        rx.el.div(
            icon("alert", size=20),
            rx.el.p(
                "No connection to the server. Your input stays on this page, and actions are sent when the connection "
                "is back."
            ),
            role="status",
            class_name="calm-line on-dark office-line",
        ),
    )


def _warning_bar() -> rx.Component:
    """The most urgent warning, which unfolds the others."""
    warnings: Any = StaffState.warnings
    count = rx.el.span(warnings.length() - 1, " more")
    return rx.cond(
        warnings.length() > 1,
        rx.el.details(
            rx.el.summary(warnings[0], count),
            rx.foreach(warnings[1:], lambda warning: rx.el.p(warning, key=warning)),
            class_name="office-warning",
        ),
        rx.el.p(warnings.join(""), class_name="office-warning"),
    )


def _event_result() -> rx.Component:
    return rx.el.div(
        rx.cond(StaffState.problem != "", notice(StaffState.problem, tone="error")),
        # The live region must exist before its text, or screen readers would not announce it.
        rx.el.div(
            rx.cond(StaffState.done != "", notice(StaffState.done, tone="success")),
            aria_live="polite",
        ),
        class_name="office-said",
    )


def _placeholder() -> rx.Component:
    return rx.cond(
        StaffState.refusal != "",
        notice(
            rx.el.p(StaffState.refusal),
            rx.cond(
                StaffState.way_out != "",
                rx.el.a("Set it up in your account", href=StaffState.way_out, class_name="link"),
            ),
            tone="error",
        ),
        rx.el.div(
            skeleton("office-bone"), skeleton("office-bone"), skeleton("office-bone"),
            rx.el.p("Loading", class_name="sr-only", role="status"),
            rx.el.noscript(rx.el.p("The back office requires JavaScript.")),
        ),
    )  # fmt: skip
