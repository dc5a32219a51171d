"""The detail page of a staff account: state, role, sign-in, sessions, recent activity."""

import reflex as rx

from agency_site.backoffice.accounts.detail import END_SESSIONS, QUESTIONS, StaffAccountPage
from agency_site.backoffice.accounts.invitations_view import role_options
from agency_site.backoffice.accounts.own_account_state import Browser
from agency_site.backoffice.detail_page import detail_page, detail_screen, history_card
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.elements import card, columns, fact, fact_list, small_button, small_note
from agency_site.ui.elements import text_link
from agency_site.ui.forms import select_field

LIST_PATH, ACCOUNT_PATH = "/admin/staff", "/admin/staff/person"


def _account_page() -> rx.Component:
    return rx.fragment(
        rx.el.p(text_link("All staff", LIST_PATH), class_name="staff-back"),
        detail_page(
            StaffAccountPage,
            rx.fragment(),
            columns(
                rx.el.div(
                    _account_card(), _role_card(), history_card(StaffAccountPage.lines, "Recent activity")
                ),
                rx.el.div(_sign_in_card(), _sessions_card()),
            ),
            _action_dialog(),
            empty=("This page shows one staff account. Choose it in the list.", "All staff", LIST_PATH),
            class_name="",
        ),
    )


def _account_card() -> rx.Component:
    facts = StaffAccountPage.facts
    return rx.el.section(
        rx.el.div(
            rx.el.h2(facts["name"]),
            rx.el.span(facts["state_name"], class_name="office-tone office-tone-" + facts["tone"]),
            class_name="office-spread staff-head",
        ),
        fact_list(
            fact("E-mail", facts["email"]),
            fact("Role", facts["role_name"]),
            fact("Second factor", facts["second_factor"]),
            fact("Last seen", facts["seen"]),
            fact("Created", facts["created"]),
        ),
        class_name="office-card",
    )


def _role_card() -> rx.Component:
    return card(
        "Role",
        rx.el.form(
            select_field(
                "Role", "role", role_options(), error=StaffAccountPage.errors.get("role", "").to(str),
                form="person", default_value=StaffAccountPage.chosen_role, key=StaffAccountPage.chosen_role,
                hint="Changing the role signs them out.",
            ),
            small_button("Save role", type="submit"),
            on_submit=StaffAccountPage.save_role,
            class_name="staff-form",
        ),
    )  # fmt: skip


def _sign_in_card() -> rx.Component:
    facts = StaffAccountPage.facts
    return card(
        "Sign-in",
        rx.cond(
            StaffAccountPage.own,
            rx.el.p("This is you. ", text_link("Your account", "/admin/account"), class_name="staff-text"),
        ),
        rx.cond(
            facts["state"] == "disabled",
            rx.el.div(
                small_note("This account cannot sign in."),
                small_button("Enable account", on_click=StaffAccountPage.enable),
                class_name="staff-deeds",
            ),
            rx.el.div(
                small_note(
                    rx.cond(
                        facts["state"] == "invited",
                        "No password set yet. A new link replaces the previous one.",
                        "They can set a new password with the link. Their current password works until then.",
                    ),
                ),
                small_button(
                    rx.cond(facts["state"] == "invited", "Resend invitation", "Send password reset link"),
                    tone="ink",
                    on_click=StaffAccountPage.send_link,
                ),
                rx.cond(
                    facts["second_factor"] == "On",
                    small_button(
                        "Remove authenticator", tone="ghost", on_click=StaffAccountPage.ask("remove"),
                    ),
                ),
                small_button(
                    "Disable account", tone="ghost", on_click=StaffAccountPage.ask("disable"),
                ),
                class_name="staff-deeds",
            ),
        ),
    )  # fmt: skip


def _sessions_card() -> rx.Component:
    return card(
        "Active sessions",
        rx.cond(
            StaffAccountPage.browsers,
            rx.fragment(
                rx.el.ul(rx.foreach(StaffAccountPage.browsers, _browser), class_name="office-log staff-browsers"),
                small_button(
                    "Sign out everywhere", tone="ghost", on_click=StaffAccountPage.ask(END_SESSIONS),
                ),
            ),
            small_note("No active sessions."),
        ),
    )  # fmt: skip


def _browser(browser: Browser) -> rx.Component:
    return rx.el.li(
        rx.el.strong(browser.name),
        rx.el.small(browser.address),
        rx.el.small("Signed in ", browser.since),
        rx.el.small("Last active ", browser.seen),
        key=browser.id.to_string(),
    )


def _by_action(position: int) -> rx.Var[str]:
    cases = ((action, texts[position]) for action, texts in QUESTIONS.items())
    return rx.match(StaffAccountPage.panel, *cases, "")  # type: ignore[no-any-return]


def _action_dialog() -> rx.Component:
    return confirm_dialog(
        "person-question",
        _by_action(0),
        _by_action(2),
        is_open=StaffAccountPage.panel != "",
        confirm=(_by_action(1), StaffAccountPage.confirm),
        cancel=("Cancel", StaffAccountPage.close_panel),
    )


STAFF_ACCOUNT_SCREEN = detail_screen(
    StaffAccountPage, ACCOUNT_PATH, "Staff account", _account_page, under=LIST_PATH
)
