"""What the printer makes of a booking's page: a sheet to take into the consultation. Screens do not show it."""

import reflex as rx

from agency_site.backoffice.detail_page import HistoryLine
from agency_site.content.brand import BRAND
from agency_site.features.booking.admin.detail import BookingFile
from agency_site.ui.elements import picture

RULED_LINES = 11
NEXT_STEPS = 4


def consultation_sheet() -> rx.Component:
    """Who comes when and why, what staff know already, and room to write."""
    facts = BookingFile.facts
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                picture("/favicon.svg", "", 40, 40, loading="eager"),
                rx.el.strong(BRAND.name),
                class_name="desk-sheet-brand",
            ),
            rx.el.p("Consultation sheet", rx.el.strong(BookingFile.reference)),
            class_name="desk-sheet-head",
        ),
        rx.el.h2(facts["fullname"]),
        rx.el.p(facts["when"], class_name="desk-sheet-when"),
        rx.el.dl(
            _fact("Phone", facts["dialled"]),
            _fact("E-mail", facts["email"]),
            _fact("State", facts["standing"]),
            _fact("Booked on", facts["booked"]),
            class_name="desk-sheet-facts",
        ),
        rx.el.h3("What it is about"),
        rx.el.p(
            rx.cond(facts["message"] != "", facts["message"], "The client did not say."), class_name="office-said-text"
        ),
        rx.cond(
            facts["noted"] != "",
            rx.fragment(rx.el.h3("Notes so far"), rx.el.ul(rx.foreach(BookingFile.lines, _note))),
            rx.fragment(),
        ),
        rx.el.h3("In the consultation"),
        rx.el.div(*(rx.el.div() for _ in range(RULED_LINES)), class_name="desk-sheet-lines"),
        rx.el.h3("Next steps"),
        rx.el.table(
            rx.el.thead(rx.el.tr(*(rx.el.th(head, scope="col") for head in ("What", "Who", "By when")))),
            rx.el.tbody(*(rx.el.tr(rx.el.td(), rx.el.td(), rx.el.td()) for _ in range(NEXT_STEPS))),
        ),
        rx.el.p(
            f"{BRAND.name}, {BRAND.address}, {BRAND.city}. {BRAND.phone}, {BRAND.email}", class_name="desk-sheet-foot"
        ),
        class_name="desk-sheet",
    )  # fmt: skip


def _fact(label: str, value: rx.Var[str] | str) -> rx.Component:
    return rx.cond(value != "", rx.el.div(rx.el.dt(label), rx.el.dd(value)), rx.fragment())


def _note(line: HistoryLine, index: rx.Var[int]) -> rx.Component:
    return rx.cond(
        line.noted,
        rx.el.li(rx.el.span(line.words), rx.el.small(line.at, ", ", line.who), key=index.to_string()),
        rx.fragment(),
    )
