"""The detail page of a staff account: state, role, sign-in, sessions, recent activity."""

import reflex as rx

from agency_site.auth.rules import ROLE_NAMES, Permission, Role
from agency_site.backoffice.accounts.detail import Done, Shown, StaffAccountState
from agency_site.backoffice.accounts.invitations import STATES
from agency_site.backoffice.accounts.invitations_view import role_options
from agency_site.backoffice.accounts.own_account_state import Browser
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.edit_conflicts import conflict_panel
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, text_link
from agency_site.ui.forms import select_field

PERSON = "/admin/staff/person"


def _page() -> rx.Component:
    return rx.fragment(
        rx.el.p(text_link("All staff", "/admin/staff"), class_name="staff-back"),
        rx.cond(StaffAccountState.person.id > 0, _person(), rx.fragment()),
    )


def _person() -> rx.Component:
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=StaffAccountState.refresh),
        conflict_panel(
            StaffAccountState.clash, keep=StaffAccountState.keep_theirs, overwrite=StaffAccountState.save_over
        ),
        rx.el.div(
            rx.el.div(_facts(), _role(), _trail()),
            rx.el.div(_signing_in(), _browsers()),
            class_name="office-columns",
        ),
        _question(),
    )


def _state() -> rx.Component:
    return rx.match(
        StaffAccountState.person.state,
        *(
            (key, rx.el.span(words, class_name=f"office-tone office-tone-{tone}"))
            for key, (words, tone) in STATES.items()
        ),
        rx.fragment(),
    )


def _facts() -> rx.Component:
    person: rx.Var[Shown] = StaffAccountState.person
    return rx.el.section(
        rx.el.div(rx.el.h2(person.name), _state(), class_name="office-spread staff-head"),
        rx.el.dl(
            rx.el.dt("E-mail"), rx.el.dd(person.email),
            rx.el.dt("Role"),
            rx.el.dd(rx.match(person.role, *((role.value, ROLE_NAMES[role]) for role in Role), "")),
            rx.el.dt("Two-step"), rx.el.dd(rx.cond(person.two_step, "On", "Off")),
            rx.el.dt("Last seen"), rx.el.dd(person.seen),
            rx.el.dt("Created"), rx.el.dd(person.made),
            class_name="office-facts",
        ),
        class_name="office-card",
    )  # fmt: skip


def _role() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Role"),
        rx.el.form(
            select_field(
                "Role", "role", role_options(), error=StaffAccountState.errors.get("role", "").to(str),
                form="person", default_value=StaffAccountState.chosen, key=StaffAccountState.chosen,
                hint="Changing the role signs them out.",
            ),
            button("Save role", type="submit", class_name="button-small"),
            on_submit=StaffAccountState.save_role,
            class_name="staff-form",
        ),
        class_name="office-card",
    )  # fmt: skip


def _signing_in() -> rx.Component:
    person: rx.Var[Shown] = StaffAccountState.person
    return rx.el.section(
        rx.el.h2("Signing in"),
        rx.cond(
            StaffAccountState.own,
            rx.el.p("This is you. ", text_link("Your account", "/admin/account"), class_name="staff-text"),
            rx.fragment(),
        ),
        rx.cond(
            person.state == "disabled",
            rx.el.div(
                rx.el.p("This account cannot sign in.", class_name="office-note"),
                button("Enable account", on_click=StaffAccountState.enable, class_name="button-small"),
                class_name="staff-deeds",
            ),
            rx.el.div(
                rx.el.p(
                    rx.cond(
                        person.state == "invited",
                        "No password set yet. A new link replaces the previous one.",
                        "They can set a new password with the link. Their current password works until then.",
                    ),
                    class_name="office-note",
                ),
                button(
                    rx.cond(person.state == "invited", "Resend invitation", "Send password reset link"),
                    tone="ink",
                    on_click=StaffAccountState.send_link,
                    class_name="button-small",
                ),
                rx.cond(
                    person.two_step,
                    button(
                        "Remove authenticator", tone="ghost", on_click=StaffAccountState.ask("drop"),
                        class_name="button-small",
                    ),
                    rx.fragment(),
                ),
                button(
                    "Disable account", tone="ghost", on_click=StaffAccountState.ask("disable"),
                    class_name="button-small",
                ),
                class_name="staff-deeds",
            ),
        ),
        class_name="office-card",
    )  # fmt: skip


def _browsers() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Active sessions"),
        rx.cond(
            StaffAccountState.browsers,
            rx.fragment(
                rx.el.ul(rx.foreach(StaffAccountState.browsers, _browser), class_name="office-log staff-browsers"),
                button(
                    "Sign out everywhere", tone="ghost", on_click=StaffAccountState.ask("sessions"),
                    class_name="button-small",
                ),
            ),
            rx.el.p("No active sessions.", class_name="office-note"),
        ),
        class_name="office-card",
    )  # fmt: skip


def _browser(one: Browser) -> rx.Component:
    return rx.el.li(
        rx.el.strong(one.name),
        rx.el.small(one.address),
        rx.el.small("Signed in ", one.since),
        rx.el.small("Last active ", one.seen),
        key=one.id.to_string(),
    )


def _trail() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Recent activity"),
        rx.el.ul(rx.foreach(StaffAccountState.trail, _entry), class_name="office-log"),
        class_name="office-card",
    )


def _entry(entry: Done) -> rx.Component:
    return rx.el.li(entry.what, rx.el.small(entry.line), key=entry.id.to_string())


def _question() -> rx.Component:
    return confirm_dialog(
        "person-question",
        "Are you sure?",
        StaffAccountState.question,
        is_open=StaffAccountState.question != "",
        confirm=("Continue", StaffAccountState.go_on),
        cancel=("Cancel", StaffAccountState.dismiss),
    )


PERSON_SCREEN = Screen(
    path=PERSON,
    title="Staff account",
    permission=Permission.MANAGE_STAFF,
    body=_page,
    on_load=(StaffAccountState.open_person,),
    under="/admin/staff",
)
