"""Questions that the back office asks over the page before something is done."""

from typing import Any

import reflex as rx

from agency_site.ui.behaviours import ModalDialog
from agency_site.ui.elements import Text, button


def question(identity: str, title: Text, *body: rx.Component, opens: Any, leave: Any) -> rx.Component:
    """The question, with whatever has to be answered in its `body`. `identity` is the id of its heading; `leave` closes it."""
    return ModalDialog.create(
        rx.el.h2(title, id=identity),
        *body,
        open=opens,
        on_dismiss=leave,
        aria_labelledby=identity,
        class_name="dialog office-dialog",
    )


def yes_or_no(
    identity: str,
    title: Text,
    *words: Text | rx.Component,
    opens: Any,
    yes: tuple[str, Any],
    no: tuple[str, Any],
) -> rx.Component:
    """A question of one press: `yes` and `no` are the words of a button and what it does."""
    (agree, go_on), (decline, leave) = yes, no
    return question(
        identity,
        title,
        rx.el.p(*words),
        rx.el.div(
            button(agree, on_click=go_on),
            button(decline, tone="ghost", on_click=leave),
            class_name="office-row",
        ),
        opens=opens,
        leave=leave,
    )
