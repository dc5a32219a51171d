"""The second factor on the page of the own account."""

import reflex as rx

from agency_site.backoffice.accounts.own_account_state import OwnAccountState
from agency_site.backoffice.behaviours import Print
from agency_site.backoffice.elements import button_row, small_button, small_note
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import Tone, button_class
from agency_site.ui.forms import field
from agency_site.ui.sharing import CopyButton
from agency_site.web.reflex_internals.components import PlainAnchor


def field_message(form: str, name: str) -> rx.Var[str]:
    """Return the message for the field `name`, if `form` was submitted last."""
    return rx.cond(OwnAccountState.submitted_form == form, OwnAccountState.errors.get(name, "").to(str), "")


def second_factor_card() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Second factor"),
            rx.cond(
                OwnAccountState.since != "",
                rx.el.span("On", class_name="office-tone office-tone-good"),
                rx.el.span("Off", class_name="office-tone"),
            ),
            class_name="office-spread staff-head",
        ),
        rx.cond(
            OwnAccountState.offered.uri != "",
            _offer_steps(),
            rx.cond(OwnAccountState.since != "", _active_factor(), _set_up_invitation()),
        ),
        class_name="office-card",
    )


def _set_up_invitation() -> rx.Component:
    return rx.fragment(
        rx.el.p(
            "Protect your account with a second factor: besides your password you enter a six-digit code from an "
            "authenticator app, such as Google Authenticator, Aegis or 1Password.",
            class_name="staff-text",
        ),
        _password_form("begin", "Set up", OwnAccountState.begin_second_factor),
    )


def _active_factor() -> rx.Component:
    return rx.fragment(
        rx.el.p(
            "Since ", OwnAccountState.since, ". ",
            rx.cond(
                OwnAccountState.codes_left == 1,
                "1 recovery code left.",
                OwnAccountState.codes_left.to_string() + " recovery codes left.",
            ),
            class_name="staff-text",
        ),
        rx.el.div(
            _disclosure(
                "New recovery codes",
                "The previous codes stop working.",
                _password_form("renew", "Create new codes", OwnAccountState.renew_codes),
            ),
            _disclosure(
                "Replace authenticator",
                "For a new phone. The current authenticator works until you confirm the new one.",
                _password_form("begin", "Replace", OwnAccountState.begin_second_factor),
            ),
            rx.cond(
                OwnAccountState.required,
                small_note("Your role requires a second factor, so it can't be turned off."),
                _disclosure(
                    "Turn off",
                    "You'll sign in with only your password.",
                    _password_form("off", "Turn off", OwnAccountState.switch_off, tone="ghost"),
                ),
            ),
            key=OwnAccountState.round,
            class_name="staff-folds",
        ),
    )  # fmt: skip


def _disclosure(title: str, explained: str, form: rx.Component) -> rx.Component:
    return rx.el.details(
        rx.el.summary(title),
        rx.el.div(small_note(explained), form),
        class_name="office-fold staff-fold",
    )


def _password_form(form: str, label: str, event: object, tone: Tone = "ink") -> rx.Component:
    return rx.el.form(
        field(
            "Your password", "password", error=field_message(form, "password"), form=form, type="password",
            max_length=200, auto_complete="current-password",
        ),
        rx.cond(
            OwnAccountState.since != "",
            field(
                "Authenticator code or recovery code", "code", error=field_message(form, "code"), form=form,
                auto_complete="one-time-code", max_length=40,
            ),
        ),
        small_button(label, type="submit", tone=tone),
        on_submit=event,
        no_validate=True,
        class_name="staff-form",
    )  # fmt: skip


def _offer_steps() -> rx.Component:
    return rx.el.div(
        FocusWhen.create(when=OwnAccountState.offered.uri, target="second-factor-offer"),
        rx.el.div(
            rx.html(OwnAccountState.offered.picture, role="img", aria_label="QR code for your authenticator"),
            class_name="staff-qr",
        ),
        rx.el.ol(
            rx.el.li(
                rx.el.strong("Scan this code with your authenticator.", id="second-factor-offer"),
                rx.el.p(
                    "On this phone? ",
                    PlainAnchor.create(
                        "Open it in the authenticator", href=OwnAccountState.offered.uri, class_name="link"
                    ),
                ),
            ),
            rx.el.li(
                rx.el.strong("Or enter this key:"),
                button_row(
                    rx.el.code(OwnAccountState.offered.secret, class_name="staff-key"),
                    _copy_button(OwnAccountState.offered.secret, "Copy key"),
                ),
            ),
            rx.el.li(rx.el.strong("Enter the six-digit code that it shows."), _confirmation_form()),
            class_name="staff-steps",
        ),
        class_name="staff-offer",
    )


def _confirmation_form() -> rx.Component:
    return rx.el.form(
        field(
            "Code", "code", error=field_message("confirm", "code"), form="confirm", kind="number",
            auto_complete="one-time-code", max_length=12,
        ),
        button_row(
            small_button("Turn on", type="submit"),
            small_button("Cancel", tone="ghost", on_click=OwnAccountState.cancel_offer),
        ),
        on_submit=OwnAccountState.confirm_second_factor,
        no_validate=True,
        class_name="staff-form staff-code",
    )  # fmt: skip


def recovery_codes_card() -> rx.Component:
    """The recovery codes, which are shown only once."""
    return rx.el.section(
        FocusWhen.create(when=OwnAccountState.fresh_codes.length() > 0, target="recovery-codes"),
        rx.el.h2("Your recovery codes", id="recovery-codes"),
        rx.el.p(
            "Each code works once in place of the authenticator. They are shown only now: print them or save them "
            "in your password manager.",
            class_name="staff-text",
        ),
        rx.el.ul(
            rx.foreach(OwnAccountState.fresh_codes, lambda code: rx.el.li(rx.el.code(code), key=code)),
            class_name="staff-codes",
        ),
        button_row(
            small_button("I've saved these codes", on_click=OwnAccountState.hide_codes),
            _copy_button(OwnAccountState.fresh_codes.join("\n"), "Copy all"),
            Print.create(label="Print", class_name=button_class("ghost", "button-small")),
        ),
        class_name="office-card staff-sheet",
    )


def _copy_button(text: rx.Var[str], label: str) -> rx.Component:
    return CopyButton.create(text=text, label=label, class_name=button_class("ghost", "button-small"))
