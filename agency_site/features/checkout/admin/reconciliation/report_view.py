"""The reconciliation report on the screen and in print."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.behaviours import Print
from agency_site.backoffice.dialogs import form_dialog
from agency_site.backoffice.elements import button_row, card, fact_list, small_button, small_note
from agency_site.backoffice.periods import period_form
from agency_site.backoffice.screens import COUNT_MS, Screen
from agency_site.backoffice.scrolling_table import labelled_cell, scrolling_table
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.content.brand import BRAND
from agency_site.features.checkout.admin.dashboard import RECONCILIATION
from agency_site.features.checkout.admin.reconciliation.report import (
    CourseRow,
    DayRow,
    DiscrepancyRow,
    MethodRow,
    ReconciliationState,
)
from agency_site.features.checkout.admin.statements.upload import STATEMENTS
from agency_site.features.checkout.orders.staff_request import REASON_LENGTH
from agency_site.ui.behaviours import Interval
from agency_site.ui.forms import text_area
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import PlainAnchor


def _reconciliation_page() -> rx.Component:
    return rx.fragment(
        Interval.create(
            every=COUNT_MS, active=ReconciliationState.live, on_tick=ReconciliationState.refresh_report
        ),
        period_form(
            ReconciliationState.short_cuts,
            ReconciliationState.first,
            ReconciliationState.last,
            ReconciliationState.choose,
        ),
        rx.el.section(
            _report_heading(),
            rx.cond(ReconciliationState.totals["any"] != "", _report_sections(), _empty_report()),
            class_name="money-ledger",
            aria_labelledby="ledger-heading",
        ),
        _closing_dialog(),
    )


def _report_heading() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.p(BRAND.name, ": reconciliation", class_name="money-paper"),
            rx.el.h2(ReconciliationState.title, id="ledger-heading"),
            rx.el.p(
                "Printed by ",
                StaffState.name,
                ", ",
                ReconciliationState.loaded_at,
                class_name="office-printed",
            ),
        ),
        button_row(
            rx.cond(
                has_permission(Permission.WORK_PAYMENTS),
                rx.el.a("Import a statement", href=STATEMENTS, class_name="office-quiet"),
            ),
            Print.create(label="Print", class_name="office-quiet"),
            rx.cond(
                has_permission(Permission.EXPORT),
                PlainAnchor.create(
                    icon("download", size=18),
                    "Export as CSV",
                    href="/admin/export/reconciliation.csv?" + ReconciliationState.query,
                    download=True,
                    class_name="office-quiet",
                ),
            ),
        ),
        class_name="money-ledger-head",
    )


def _empty_report() -> rx.Component:
    return rx.el.p("No payments, refunds or enrolments in this period.", class_name="office-empty")


def _report_sections() -> rx.Component:
    return rx.fragment(
        _balance_card(), _discrepancies_card(), _methods_table(), _courses_table(), _days_table()
    )


def _balance_card() -> rx.Component:
    totals = ReconciliationState.totals
    return rx.el.div(
        rx.el.div(
            _figure(totals["orders"], "orders paid"),
            _figure(totals["receipts"], "receipts"),
            _figure(totals["enrolments"], "enrolments"),
            class_name="money-equation",
        ),
        rx.el.div(
            rx.el.p(
                rx.cond(ReconciliationState.balanced, icon("check", size=20), icon("alert", size=20)),
                ReconciliationState.verdict,
                role="status",
                class_name="money-verdict",
            ),
            fact_list(
                rx.cond(
                    totals["discounted"] != "",
                    rx.fragment(rx.el.dt("Discounts"), rx.el.dd(totals["discounted"])),
                ),
                rx.el.dt("Received"),
                rx.el.dd(totals["received"]),
                rx.el.dt("Refunded"),
                rx.el.dd(totals["refunded"]),
                rx.el.dt("Net"),
                rx.el.dd(totals["net"]),
                rx.cond(totals["free"] != "", _free_enrolments()),
            ),
        ),
        class_name=rx.cond(ReconciliationState.balanced, "office-card money-balance", "office-card money-balance money-off"),
    )  # fmt: skip


def _figure(value: rx.Var[str] | str, label: str) -> rx.Component:
    return rx.el.p(rx.el.strong(value), rx.el.span(label), class_name="money-figure")


def _free_enrolments() -> rx.Component:
    return rx.fragment(rx.el.dt("Free enrolments"), rx.el.dd(ReconciliationState.totals["free"]))


def _discrepancies_card() -> rx.Component:
    return rx.cond(
        ReconciliationState.discrepancies,
        card(
            "Discrepancies",
            rx.el.ul(
                rx.foreach(ReconciliationState.discrepancies, _discrepancy_item),
                class_name="office-log money-differences",
            ),
            identity="ledger-discrepancies",
        ),
    )


def _discrepancy_item(row: DiscrepancyRow) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.span(row.kind, class_name="office-tone office-tone-" + row.tone),
            rx.cond(
                row.href != "",
                rx.el.a(row.reference, href=row.href, class_name="link"),
                rx.el.span(row.reference),
            ),
            rx.el.strong(row.amount),
            class_name="money-difference",
        ),
        rx.el.p(row.detail),
        rx.cond(row.closed != "", small_note(row.closed)),
        rx.cond(
            row.closable & has_permission(Permission.WORK_PAYMENTS),
            small_button(
                "Close with a note",
                tone="ghost",
                aria_label="Close with a note: " + row.reference,
                on_click=ReconciliationState.start_closing(row.key),
            ),
        ),
        key=row.key,
    )


def _closing_dialog() -> rx.Component:
    return form_dialog(
        "closing-heading",
        "Close this discrepancy?",
        text_area(
            "Explanation", "note", form="closing", error=ReconciliationState.errors["note"], rows="3",
            max_length=REASON_LENGTH, hint="Shown in the report with your name. Please do not name people.",
        ),
        text=ReconciliationState.closing,
        is_open=ReconciliationState.closing != "",
        submit=("Close discrepancy", ReconciliationState.close_discrepancy),
        cancel=("Cancel", ReconciliationState.stop_closing),
        problem=ReconciliationState.problem,
        draft=("closing", ReconciliationState.closing),
    )  # fmt: skip


def _methods_table() -> rx.Component:
    heads = ("Method", "Payments", "Received", "Refunded", "Net")
    rows = rx.foreach(ReconciliationState.methods, _method_row)
    return rx.cond(ReconciliationState.methods, _totals_table("By method", heads, rows))


def _method_row(row: MethodRow) -> rx.Component:
    return rx.el.tr(
        labelled_cell("Method", rx.el.strong(row.name)),
        labelled_cell("Payments", row.payments),
        labelled_cell("Received", row.received),
        labelled_cell("Refunded", row.refunded),
        labelled_cell("Net", row.net),
        key=row.name,
    )


def _courses_table() -> rx.Component:
    heads = (
        "Course",
        "Orders paid",
        "Receipts",
        "Enrolments",
        "Free",
        "Discounts",
        "Received",
        "Refunded",
        "Net",
    )
    rows = rx.foreach(ReconciliationState.courses, _course_row)
    return rx.cond(ReconciliationState.courses, _totals_table("Per course", heads, rows))


def _course_row(row: CourseRow) -> rx.Component:
    return rx.el.tr(
        labelled_cell("Course", rx.el.strong(row.name)),
        labelled_cell("Orders paid", row.orders),
        labelled_cell("Receipts", row.receipts),
        labelled_cell("Enrolments", row.enrolments),
        labelled_cell("Free", row.free),
        labelled_cell("Discounts", row.discounted),
        labelled_cell("Received", row.received),
        labelled_cell("Refunded", row.refunded),
        labelled_cell("Net", row.net),
        key=row.name,
        class_name=rx.cond(row.agrees, "", "money-uneven"),
    )


def _days_table() -> rx.Component:
    rows = rx.foreach(ReconciliationState.days, _day_row)
    return rx.cond(
        ReconciliationState.days, _totals_table("Per day", ("Day", "Received", "Refunded", "Net"), rows)
    )


def _day_row(row: DayRow) -> rx.Component:
    return rx.el.tr(
        labelled_cell("Day", rx.el.a(row.name, href=row.href)),
        labelled_cell("Received", row.received),
        labelled_cell("Refunded", row.refunded),
        labelled_cell("Net", row.net),
        key=row.href,
    )


def _totals_table(title: str, heads: tuple[str, ...], rows: rx.Component) -> rx.Component:
    return rx.el.section(rx.el.h2(title), scrolling_table(title, heads, rows), class_name="money-table")


RECONCILIATION_SCREEN = Screen(
    path=RECONCILIATION,
    title="Reconciliation",
    permission=Permission.SEE_PAYMENTS,
    body=_reconciliation_page,
    on_load=(ReconciliationState.open_report,),
    icon="scales",
)
