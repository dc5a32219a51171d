"""Above the list of staff accounts: invitations, the second-factor rule, roles and permissions."""

import reflex as rx

from agency_site.auth.rules import ROLE_NAMES, Role
from agency_site.backoffice.accounts.invitations import InvitationState
from agency_site.backoffice.accounts.permissions_view import permissions_table
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import small_button, small_note
from agency_site.backoffice.screens import REFRESH_MS
from agency_site.ui.behaviours import Interval
from agency_site.ui.forms import field, select_field


def staff_panels() -> rx.Component:
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=InvitationState.refresh_rule),
        rx.el.div(
            _invitation_form(),
            rx.el.details(
                rx.el.summary("Roles and permissions"),
                permissions_table(),
                class_name="office-fold staff-fold staff-table",
            ),
            _second_factor_rule(),
            class_name="staff-above",
        ),
        _require_dialog(),
    )


def role_options() -> list[rx.Component]:
    """Return all roles as options of a select."""
    return [rx.el.option(ROLE_NAMES[role], value=role.value) for role in Role]


def _invitation_form() -> rx.Component:
    return rx.el.details(
        rx.el.summary("Invite staff"),
        rx.el.form(
            field(
                "E-mail address", "email", error=InvitationState.errors.get("email", "").to(str), form="invite",
                type="email", max_length=254, auto_complete="off",
            ),
            field(
                "Name", "name", error=InvitationState.errors.get("name", "").to(str), form="invite", max_length=120,
                auto_complete="off", kind="person",
            ),
            select_field(
                "Role", "role", role_options(), error=InvitationState.errors.get("role", "").to(str), form="invite",
                default_value=Role.FRONT_DESK.value,
            ),
            small_button("Invite", type="submit"),
            keep_draft("invite"),
            on_submit=InvitationState.invite,
            no_validate=True,
            class_name="staff-invite",
        ),
        key=InvitationState.round,
        class_name="office-fold staff-fold",
    )  # fmt: skip


def _second_factor_rule() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Second factor"),
            small_note(
                rx.cond(
                    InvitationState.required | InvitationState.is_fixed,
                    "Required for all staff. ",
                    rx.cond(
                        InvitationState.by_role != "",
                        "Required for: " + InvitationState.by_role + ". Optional for other staff. ",
                        "Optional for staff. ",
                    ),
                ),
                _missing_count(),
            ),
        ),
        rx.cond(
            InvitationState.is_fixed,
            rx.fragment(),
            rx.cond(
                InvitationState.required,
                small_button("Make optional", tone="ghost", on_click=InvitationState.release),
                small_button("Require for all staff", tone="ink", on_click=InvitationState.ask),
            ),
        ),
        class_name="office-card staff-everybody",
    )


def _missing_count() -> rx.Component:
    return rx.match(  # type: ignore[no-any-return]
        InvitationState.without,
        (0, "All staff have set it up."),
        (1, "1 account has not set it up."),
        InvitationState.without.to_string() + " accounts have not set it up.",
    )


def _require_dialog() -> rx.Component:
    return confirm_dialog(
        "require-question",
        "Require a second factor for all staff?",
        "Staff without it can only open their own account until they set it up. This takes effect immediately "
        "and applies to you, too. ",
        _missing_count(),
        is_open=InvitationState.asking,
        confirm=("Require for all staff", InvitationState.require),
        cancel=("Cancel", InvitationState.dismiss),
    )
