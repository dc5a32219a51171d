"""The sheet for the consultation, which is printed instead of a booking's detail page."""

import reflex as rx

from agency_site.backoffice.records import HistoryLine
from agency_site.content.brand import BRAND
from agency_site.features.booking.admin.bookings.detail import BookingPage
from agency_site.features.booking.admin.labels import DETAIL_LABELS
from agency_site.ui.elements import picture

_RULED_LINES = 11

_NEXT_STEPS = 4


def consultation_sheet() -> rx.Component:
    facts = BookingPage.facts
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                picture("/favicon.svg", "", 40, 40, loading="eager"),
                rx.el.strong(BRAND.name),
                class_name="bookings-sheet-brand",
            ),
            rx.el.p("Consultation sheet", rx.el.strong(BookingPage.reference)),
            class_name="bookings-sheet-head",
        ),
        rx.el.h2(facts["fullname"]),
        rx.el.p(facts["when"], class_name="bookings-sheet-when"),
        rx.el.dl(
            *(
                _print_fact(label, facts["phone_label" if name == "phonenumber" else name])
                for name, label in DETAIL_LABELS.items()
                if name not in ("fullname", "message")
            ),
            _print_fact("Consultant", facts["person"]),
            _print_fact("Meeting link", facts["video_link"]),
            _print_fact("State", facts["state"]),
            _print_fact("Booked on", facts["booked"]),
            class_name="bookings-sheet-facts",
        ),
        rx.el.h3(DETAIL_LABELS["message"]),
        rx.el.p(
            rx.cond(facts["message"] != "", facts["message"], "No message."), class_name="office-said-text"
        ),
        rx.cond(
            facts["has_notes"] != "",
            rx.fragment(rx.el.h3("Notes so far"), rx.el.ul(rx.foreach(BookingPage.lines, _print_note))),
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


def _print_fact(label: str, value: rx.Var[str] | str) -> rx.Component:
    return rx.cond(value != "", rx.el.div(rx.el.dt(label), rx.el.dd(value)))


def _print_note(line: HistoryLine, index: rx.Var[int]) -> rx.Component:
    return rx.cond(
        line.noted,
        rx.el.li(rx.el.span(line.words), rx.el.small(line.at, ", ", line.who), key=index.to_string()),
    )
