"""The page of the own account: name, password, second factor, sessions, calendar feeds."""

import reflex as rx

from agency_site.auth.pages import ACCOUNT
from agency_site.auth.rules import Permission
from agency_site.backoffice.accounts.calendar_feeds import CalendarFeeds, feeds_panel
from agency_site.backoffice.accounts.own_account_state import Browser, OwnAccountState
from agency_site.backoffice.accounts.second_factor_view import (
    field_message,
    recovery_codes_card,
    second_factor_card,
)
from agency_site.backoffice.behaviours import PostedForm
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import button_row, card, columns, small_button, small_note, spread
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import StaffState
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.forms import field


def _password_field(
    label: str, name: str, *, form: str, hint: str = "", fresh: str = "current"
) -> rx.Component:
    return field(
        label, name, error=field_message(form, name), hint=hint, form=form, type="password", max_length=200,
        auto_complete=f"{fresh}-password",
    )  # fmt: skip


def _own_account_page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=OwnAccountState.refresh),
        rx.cond(OwnAccountState.fresh_codes, recovery_codes_card()),
        columns(
            rx.el.div(second_factor_card(), _password_card()),
            rx.el.div(_identity_card(), _sessions_card(), feeds_panel()),
        ),
    )


def _identity_card() -> rx.Component:
    return card(
        "You",
        rx.el.dl(
            rx.el.dt("Sign in as"),
            rx.el.dd(OwnAccountState.email),
            rx.el.dt("Role"),
            rx.el.dd(StaffState.role),
            class_name="office-facts staff-facts",
        ),
        rx.el.form(
            field(
                "Your name", "name", error=field_message("name", "name"), form="account", max_length=120,
                auto_complete="name", default_value=OwnAccountState.own_name, key=OwnAccountState.own_name,
                hint="Shown to other staff.",
            ),
            small_button("Change name", type="submit", tone="ghost"),
            keep_draft("account"),
            on_submit=OwnAccountState.rename,
            no_validate=True,
            class_name="staff-form",
        ),
    )  # fmt: skip


def _password_card() -> rx.Component:
    return card(
        "Password",
        rx.el.p("Changing it signs out your other sessions.", class_name="staff-text"),
        rx.el.form(
            _own_username(),
            _password_field("Current password", "current", form="password"),
            _password_field(
                "New password", "new", form="password", fresh="new",
                hint="At least 12 characters. Four or five unrelated words are easy to remember.",
            ),
            _password_field("Confirm new password", "again", form="password", fresh="new"),
            small_button("Change password", type="submit"),
            key=OwnAccountState.round,
            on_submit=OwnAccountState.change_password,
            no_validate=True,
            class_name="staff-form",
        ),
    )  # fmt: skip


def _own_username() -> rx.Component:
    """The user name, hidden, because password managers need to know which account the password belongs to."""
    return rx.el.input(
        type="text", name="username", value=OwnAccountState.email, auto_complete="username", read_only=True, hidden=True,
    )  # fmt: skip


def _end_session_form() -> rx.Component:
    """The form that asks for the password before another session ends."""
    return rx.el.form(
        rx.el.p("To sign out ", rx.el.strong(OwnAccountState.ending_name), ", enter your password."),
        FocusWhen.create(when=OwnAccountState.ending_name, target="ending-password"),
        _own_username(),
        _password_field("Your password", "password", form="ending"),
        button_row(
            small_button("Sign out this session", type="submit"),
            small_button("Cancel", tone="ghost", type="button", on_click=OwnAccountState.keep_session),
        ),
        on_submit=OwnAccountState.end_session,
        no_validate=True,
        class_name="staff-form",
    )  # fmt: skip


def _sessions_card() -> rx.Component:
    return card(
        "Active sessions",
        rx.el.ul(rx.foreach(OwnAccountState.browsers, _browser), class_name="office-log staff-browsers"),
        rx.cond(OwnAccountState.ending != 0, _end_session_form()),
        PostedForm.create(
            small_note(
                "Lost a device or forgot to sign out? This ends all your sessions, including this one.",
            ),
            _own_username(),
            _password_field("Your password", "password", form="everywhere"),
            small_button("Sign out everywhere", type="submit", tone="ghost"),
            action="/admin/sign-out-everywhere",
            method="post",
            class_name="staff-everywhere",
        ),
    )


def _browser(browser: Browser) -> rx.Component:
    return rx.el.li(
        spread(
            rx.el.strong(browser.name),
            rx.cond(
                browser.here,
                rx.el.span("This browser", class_name="office-tone office-tone-good"),
                rx.el.button(
                    "Sign out",
                    rx.el.span(" ", browser.name, " at ", browser.address, class_name="sr-only"),
                    type="button",
                    on_click=OwnAccountState.ask_to_end(browser.id),
                    class_name="office-quiet",
                ),
            ),
        ),
        rx.el.small(browser.address),
        rx.el.small("Signed in ", browser.since),
        rx.el.small("Last active ", browser.seen),
        key=browser.id.to_string(),  # type: ignore[attr-defined]
    )


ACCOUNT_SCREEN = Screen(
    path=ACCOUNT,
    title="Your account",
    permission=Permission.ENTER_ACCOUNT,
    body=_own_account_page,
    on_load=(OwnAccountState.open_account, CalendarFeeds.open_feeds),
)
