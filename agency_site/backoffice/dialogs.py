"""Dialogs over the page: any content, a confirmation, a form."""

from typing import Any

import reflex as rx

from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import button_row, unvalidated_form
from agency_site.ui.behaviours import ModalDialog
from agency_site.ui.elements import Text, button, notice


def dialog(identity: str, title: Text, *body: rx.Component, is_open: Any, on_cancel: Any) -> rx.Component:
    """A modal dialog; `identity` is the id of its heading."""
    return ModalDialog.create(
        rx.el.h2(title, id=identity),
        *body,
        open=is_open,
        on_dismiss=on_cancel,
        aria_labelledby=identity,
        class_name="dialog office-dialog",
    )


def confirm_dialog(
    identity: str,
    title: Text,
    *text: Text | rx.Component,
    is_open: Any,
    confirm: tuple[Text, Any],
    cancel: tuple[str, Any],
    problem: Any = "",
) -> rx.Component:
    """A dialog that one click confirms; `confirm` and `cancel` are a button's label and its event.

    `problem` is shown above the buttons.
    """
    (confirm_label, on_confirm), (cancel_label, on_cancel) = confirm, cancel
    return dialog(
        identity,
        title,
        rx.el.p(*text),
        rx.cond(is_open & (problem != ""), notice(problem, tone="error")),
        button_row(
            button(confirm_label, on_click=on_confirm),
            button(cancel_label, tone="ghost", on_click=on_cancel),
        ),
        is_open=is_open,
        on_cancel=on_cancel,
    )


def form_dialog(
    identity: str,
    title: Text,
    *fields: rx.Component,
    is_open: Any,
    submit: tuple[Text, Any],
    cancel: tuple[str, Any],
    text: Text | rx.Component,
    problem: Any = "",
    draft: tuple[str, rx.Var[str] | str] | None = None,
    key: Any = "",
) -> rx.Component:
    """A dialog with a form; `submit` and `cancel` are a button's label and its event.

    `problem` is shown above the buttons; `draft` names the form and its record in the browser's drafts; a new `key`
    draws the form afresh. The form is drawn when the dialog opens, so that its boxes hold the values of that moment.
    """
    (submit_label, on_submit), (cancel_label, on_cancel) = submit, cancel
    form = unvalidated_form(
        *fields,
        # The style sheet hides it while a field of the form shows its own message.
        rx.cond(problem != "", notice(problem, tone="error", class_name="office-problem")),
        button_row(
            button(submit_label, type="submit"),
            button(cancel_label, tone="ghost", on_click=on_cancel, type="reset"),
        ),
        *([keep_draft(*draft)] if draft else []),
        key=key,
        on_submit=on_submit,
    )
    intro = text if isinstance(text, rx.Component) else rx.el.p(text)
    return dialog(
        identity,
        title,
        rx.cond(is_open, rx.fragment(intro, form)),
        is_open=is_open,
        on_cancel=on_cancel,
    )


def notify_checkbox(label: Text) -> rx.Component:
    """The checkbox that decides whether a client is notified of a change; the form field is `notify`."""
    return rx.el.label(
        rx.el.input(type="checkbox", name="notify", default_checked=True), label, class_name="office-tick"
    )
