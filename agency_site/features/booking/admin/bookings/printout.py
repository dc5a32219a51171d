"""The sheet for the consultation, which is printed instead of a booking's detail page."""

import reflex as rx

from agency_site.backoffice.record_page import FactLine, RecordState
from agency_site.backoffice.records import HistoryLine
from agency_site.content.brand import BRAND
from agency_site.ui.elements import picture

_RULED_LINES = 11

_NEXT_STEPS = 4


def consultation_sheet() -> rx.Component:
    facts = RecordState.facts
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                picture("/favicon.svg", "", 40, 40, loading="eager"),
                rx.el.strong(BRAND.name),
                class_name="bookings-sheet-brand",
            ),
            rx.el.p("Consultation sheet", rx.el.strong(RecordState.reference)),
            class_name="bookings-sheet-head",
        ),
        rx.el.h2(facts["heading"]),
        rx.el.p(facts["below"], class_name="bookings-sheet-when"),
        rx.el.dl(rx.foreach(RecordState.details, _print_fact), class_name="bookings-sheet-facts"),
        rx.el.h3("Topic"),
        rx.el.p(
            rx.cond(facts["message"] != "", facts["message"], "No message."), class_name="office-said-text"
        ),
        # The style sheet hides it without notes.
        rx.el.div(
            rx.el.h3("Notes so far"),
            rx.el.ul(rx.foreach(RecordState.lines, _print_note)),
            class_name="bookings-sheet-notes",
        ),
        rx.el.h3("In the consultation"),
        rx.el.div(*(rx.el.div() for _ in range(_RULED_LINES)), class_name="bookings-sheet-lines"),
        rx.el.h3("Next steps"),
        rx.el.table(
            rx.el.thead(rx.el.tr(*(rx.el.th(head, scope="col") for head in ("What", "Who", "By when")))),
            rx.el.tbody(*(rx.el.tr(rx.el.td(), rx.el.td(), rx.el.td()) for _ in range(_NEXT_STEPS))),
        ),
        rx.el.p(
            f"{BRAND.name}, {BRAND.address}, {BRAND.city}. {BRAND.phone}, {BRAND.email}", class_name="bookings-sheet-foot"
        ),
        class_name="bookings-sheet",
    )  # fmt: skip


def _print_fact(line: FactLine) -> rx.Component:
    # A link inside the back office is of no use on paper.
    is_link: rx.Var[bool] = rx.Var.create(line.href).startswith("/admin")
    return rx.cond(
        is_link, rx.fragment(), rx.el.div(rx.el.dt(line.label), rx.el.dd(line.text), key=line.label)
    )


def _print_note(line: HistoryLine, index: rx.Var[int]) -> rx.Component:
    return rx.cond(
        line.noted,
        rx.el.li(rx.el.span(line.words), rx.el.small(line.at, ", ", line.who), key=index.to_string()),
    )
