"""The screen that imports M-Pesa statements."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.behaviours import PostedForm
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.features.checkout.admin.dashboard import RECONCILIATION
from agency_site.features.checkout.admin.statements.list import (
    ImportRow,
    ResultGroup,
    ResultLine,
    StatementState,
)
from agency_site.features.checkout.admin.statements.upload import (
    STATEMENT_FIELD,
    STATEMENT_FILES,
    STATEMENT_IMPORT,
    STATEMENTS,
)
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field


def _statements_page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=StatementState.refresh_statements),
        rx.cond(
            StatementState.upload_problem != "",
            notice(
                rx.el.strong("Nothing was imported. "),
                StatementState.upload_problem,
                tone="error",
                class_name="people-notice",
            ),
        ),
        rx.cond(StatementState.period != "", _import_result()),
        _upload_form(),
        rx.cond(StatementState.imports, _imports_card()),
    )


def _upload_form() -> rx.Component:
    form = PostedForm.create(
        small_note(
            "Download the statement of our short code from M-Pesa's organisation portal, as an Excel workbook or as CSV, and "
            "choose the file unchanged: Excel may swap day and month when it saves one. New payments are matched to their "
            "orders, whose customers get the confirmation by e-mail; other payments are listed for you. No payment counts twice.",
        ),
        field(
            "Statement", STATEMENT_FIELD, form="import", type="file", accept=STATEMENT_FILES,
            hint="Excel workbook (.xlsx) or CSV, at most 900 KB. It should end at least an hour after the payments.",
        ),
        button("Import statement", type="submit"),
        action=STATEMENT_IMPORT,
        method="post",
        enc_type="multipart/form-data",
        class_name="record-form",
    )  # fmt: skip
    heading = rx.el.h2("Import a statement", id="statement-import")
    return rx.el.section(heading, form, class_name="office-card", aria_labelledby="statement-import")


def _import_result() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Statement of ", StatementState.period, id="statement-result"),
        small_note(StatementState.imported),
        rx.el.ul(
            rx.foreach(StatementState.counts, lambda line: rx.el.li(line, key=line)),
            class_name="money-counts",
        ),
        rx.foreach(StatementState.groups, _result_group),
        class_name="office-card",
        aria_labelledby="statement-result",
    )


def _result_group(group: ResultGroup) -> rx.Component:
    return rx.el.div(
        rx.el.h3(rx.el.span(group.title, class_name="office-tone office-tone-" + group.tone)),
        small_note(group.note),
        rx.el.ul(rx.foreach(group.lines, _result_line), class_name="office-log"),
        rx.cond(group.more != "", small_note(group.more)),
        key=group.title,
        class_name="money-group",
    )


def _result_line(line: ResultLine, index: rx.Var[int]) -> rx.Component:
    return rx.el.li(
        rx.el.span(line.text),
        rx.cond(line.href != "", rx.el.a(line.reference, href=line.href, class_name="link")),
        key=index.to_string(),
        class_name="money-difference",
    )


def _imports_card() -> rx.Component:
    return card(
        "Latest imports",
        rx.el.ul(rx.foreach(StatementState.imports, _import_item), class_name="office-log"),
        identity="statement-imports",
    )


def _import_item(row: ImportRow) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            row.period, href=row.href, aria_current=rx.cond(row.current, "true", "false"), class_name="link"
        ),
        rx.el.small(row.imported),
        key=row.href,
        class_name="money-difference",
    )


STATEMENT_SCREEN = Screen(
    path=STATEMENTS,
    title="M-Pesa statements",
    permission=Permission.WORK_PAYMENTS,
    body=_statements_page,
    on_load=(StatementState.open_statements,),
    under=RECONCILIATION,
)
