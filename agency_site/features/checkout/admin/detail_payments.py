"""The payments on an order's page: each push with what M-Pesa said about it, and what can be done."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.state import may
from agency_site.features.checkout.admin.detail import OrderDesk
from agency_site.features.checkout.admin.detail_record import CallbackLine, Push, QueryLine
from agency_site.ui.elements import Tone, button
from agency_site.ui.icon import icon


def payments() -> rx.Component:
    """All pushes, the newest first; where there is none, that it was free."""
    return rx.cond(
        OrderDesk.pushes,
        rx.fragment(rx.foreach(OrderDesk.pushes, _push)),
        rx.el.p("There is no payment: this course is free.", class_name="office-card office-note"),
    )


def _push(push: Push) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2(push.title, rx.el.span(push.amount)),
            rx.el.span(push.state, class_name="office-tone office-tone-" + push.tone),
            class_name="office-spread money-push-head",
        ),
        rx.cond(push.why != "", _review(push), rx.fragment()),
        _facts(push.facts),
        rx.cond(may(Right.WORK_PAYMENTS), _steps(push), rx.fragment()),
        _traffic(push),
        key=push.id.to_string(),
        class_name="office-card",
        aria_label=push.title,
    )


def _facts(facts: Any) -> rx.Component:
    return rx.el.dl(
        rx.foreach(facts, lambda fact: rx.el.div(rx.el.dt(fact.label), rx.el.dd(fact.text), key=fact.label)),
        class_name="money-facts",
    )


def _review(push: Push) -> rx.Component:
    return rx.el.div(
        icon("alert", size=22),
        rx.el.div(
            rx.el.p(rx.el.strong(push.why)),
            rx.el.p(
                "Compare with the M-Pesa statement, then say here what it shows. No money moves from here."
            ),
        ),
        class_name="money-review",
    )


def _steps(push: Push) -> rx.Component:
    asking = OrderDesk.asking == push.id
    return rx.el.div(
        _step(push, "decide", "Decide", "brand"),
        _step(push, "receipt", "Enter the receipt", "ink"),
        rx.cond(
            push.steps.contains("ask"),
            button(
                icon("refresh", size=18),
                rx.cond(asking, "Asking M-Pesa …", "Ask M-Pesa now"),
                tone="ghost",
                class_name="button-small",
                aria_disabled=rx.cond(asking, "true", "false"),
                on_click=OrderDesk.ask_mpesa(push.id),
            ),
            rx.fragment(),
        ),
        _step(push, "refund", "Mark refunded", "ghost"),
        class_name="office-row money-steps",
    )


def _step(push: Push, name: str, label: str, tone: Tone) -> rx.Component:
    return rx.cond(
        push.steps.contains(name),
        button(label, tone=tone, class_name="button-small", on_click=OrderDesk.start(name, push.id)),
        rx.fragment(),
    )


def _traffic(push: Push) -> rx.Component:
    callbacks: Any = push.callbacks
    queries: Any = push.queries
    return rx.el.div(
        rx.el.h3("M-Pesa's callbacks"),
        rx.cond(
            callbacks,
            rx.el.ul(rx.foreach(callbacks, _callback), class_name="office-log"),
            rx.el.p("None has come.", class_name="office-note"),
        ),
        rx.cond(
            queries,
            rx.fragment(
                rx.el.h3("Asked M-Pesa"),
                rx.el.ul(rx.foreach(queries, _query), class_name="office-log"),
            ),
            rx.fragment(),
        ),
        rx.cond(
            push.ids,
            rx.el.details(
                rx.el.summary("M-Pesa's names for this payment"), _facts(push.ids), class_name="office-behind"
            ),
            rx.fragment(),
        ),
        class_name="money-traffic",
    )


def _callback(line: CallbackLine) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.el.small(line.at, ". ", line.detail),
        rx.el.details(
            rx.el.summary("The message as it came, phone number masked"),
            rx.el.pre(
                line.body, class_name="office-pre", tab_index=0, role="region", aria_label="Message of M-Pesa"
            ),
            class_name="office-behind",
        ),
        key=line.id.to_string(),
    )


def _query(line: QueryLine) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.el.small(line.at, ", ", line.who, rx.cond(line.detail != "", ". " + line.detail, "")),
        key=line.id.to_string(),
    )
