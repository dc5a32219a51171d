"""The detail page of a learner."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.clients import client_fact
from agency_site.backoffice.detail_page import detail_page, fact, record_head
from agency_site.backoffice.dialogs import form_dialog
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import has_permission
from agency_site.features.academy.admin.labels import LEARNER_PATH, LEARNERS_PATH, RUN_PATH
from agency_site.features.academy.admin.learner_detail import MOVE, REVOKE, WAIT, LearnerDetail
from agency_site.features.academy.staff_request import REASON_LENGTH
from agency_site.ui.elements import button, text_link
from agency_site.ui.forms import field, select_field

MOVE_FORM, REVOKE_FORM, WAIT_FORM = "learner-move", "learner-revoke", "learner-wait"


def _page() -> rx.Component:
    facts = LearnerDetail.facts
    return rx.fragment(
        detail_page(
            LearnerDetail,
            record_head(
                LearnerDetail.reference, facts["state_name"], facts["tone"], facts["name"], facts["course"], _steps(),
                label="Learner",
            ),
            _facts(),
            empty=(
                "This page shows one learner. Choose them in the list, or search for a name above.",
                "All learners",
                LEARNERS_PATH,
            ),
        ),
        _move_dialog(),
        _revoke_dialog(),
        _wait_dialog(),
    )  # fmt: skip


def _steps() -> rx.Component:
    facts = LearnerDetail.facts
    return rx.cond(
        has_permission(Permission.WORK_LEARNERS),
        rx.fragment(
            rx.cond(
                LearnerDetail.runs,
                button("Move to another run", class_name="button-small", on_click=LearnerDetail.begin_move),
                rx.fragment(),
            ),
            rx.cond(
                LearnerDetail.runs & (facts["run"] == ""),
                button(
                    "Put on a waiting list",
                    tone="ink",
                    class_name="button-small",
                    on_click=LearnerDetail.begin_waiting,
                ),
                rx.fragment(),
            ),
            rx.cond(
                facts["email"] != "",
                button(
                    "Send the link again",
                    tone="ghost",
                    class_name="button-small",
                    on_click=LearnerDetail.send_link,
                ),
                rx.fragment(),
            ),
            _certificate_step(),
        ),
        rx.fragment(),
    )


def _certificate_step() -> rx.Component:
    facts = LearnerDetail.facts
    issue = button(
        "Issue certificate", tone="ink", class_name="button-small", on_click=LearnerDetail.issue_certificate
    )
    revoke = button(
        "Revoke certificate", tone="ghost", class_name="button-small", on_click=LearnerDetail.begin_revocation
    )
    is_valid = (facts["certificate"] != "") & (facts["revoked"] == "")
    revoke = rx.cond(has_permission(Permission.WORK_ENROLMENTS), revoke, rx.fragment())
    return rx.cond(is_valid, revoke, rx.cond(facts["attended"] != "", issue, rx.fragment()))


def _facts() -> rx.Component:
    facts = LearnerDetail.facts
    order = text_link(facts["order"], "/admin/order?ref=" + facts["order"])
    return rx.el.section(
        rx.el.h2("Learner"),
        rx.el.dl(
            fact("E-mail", text_link(facts["email"], "mailto:" + facts["email"]), shown=facts["email"] != ""),
            client_fact("learners", LearnerDetail.reference, shown=facts["email"] != ""),
            fact("Course", facts["course"]),
            fact(
                "Course run",
                text_link(facts["run"], f"{RUN_PATH}?ref=" + facts["run"]),
                shown=facts["run"] != "",
            ),
            fact("Starts", facts["starts"], shown=facts["starts"] != ""),
            fact(
                "Order",
                rx.cond(has_permission(Permission.SEE_PAYMENTS), order, facts["order"]),
                shown=facts["order"] != "",
            ),
            fact("Place", facts["place"]),
            fact("Since", facts["since"]),
            fact("Attended", facts["attended"], shown=facts["attended"] != ""),
            fact(
                "Certificate",
                text_link(facts["certificate"], "/certificate/" + facts["certificate"]),
                shown=facts["certificate"] != "",
            ),
            fact("Issued", facts["issued"], shown=facts["issued"] != ""),
            fact("Revoked", facts["revoked"], shown=facts["revoked"] != ""),
            fact("Reason", facts["reason"], shown=facts["reason"] != ""),
            class_name="office-facts",
        ),
        class_name="office-card",
    )


def _move_dialog() -> rx.Component:
    facts = LearnerDetail.facts
    return form_dialog(
        "learner-move-heading",
        "Move to another run",
        rx.el.div(
            select_field(
                "Course run",
                "run",
                [rx.foreach(LearnerDetail.runs, lambda one: rx.el.option(one.text, value=one.reference))],
                form=MOVE_FORM,
                error=LearnerDetail.errors["run"],
            )
        ),
        is_open=LearnerDetail.panel == MOVE,
        submit=("Move", LearnerDetail.move),
        cancel=("Cancel", LearnerDetail.close_panel),
        text=rx.el.p(
            rx.cond(
                facts["places"] == "1",
                "The learner gets a mail with the new dates.",
                "All "
                + facts["places"]
                + " places of the order move together, and everybody who is named gets a mail with the new dates.",
            )
        ),
        problem=LearnerDetail.problem,
    )


def _wait_dialog() -> rx.Component:
    return form_dialog(
        "learner-wait-heading",
        "Put on a waiting list",
        select_field(
            "Course run",
            "run",
            [rx.foreach(LearnerDetail.runs, lambda one: rx.el.option(one.text, value=one.reference))],
            form=WAIT_FORM,
            error=LearnerDetail.errors["run"],
        ),
        is_open=LearnerDetail.panel == WAIT,
        submit=("Put on the list", LearnerDetail.wait),
        cancel=("Cancel", LearnerDetail.close_panel),
        text="The order is paid, so it comes before all others: as soon as the run has the places, its learners are in it, "
        "and get a mail. The buyer gets a mail now.",
        problem=LearnerDetail.problem,
    )


def _revoke_dialog() -> rx.Component:
    return form_dialog(
        "learner-revoke-heading",
        "Revoke the certificate?",
        field(
            "Reason",
            "reason",
            form=REVOKE_FORM,
            error=LearnerDetail.errors["reason"],
            max_length=REASON_LENGTH,
            auto_complete="off",
        ),
        is_open=LearnerDetail.panel == REVOKE,
        submit=("Revoke", LearnerDetail.revoke_certificate),
        cancel=("Cancel", LearnerDetail.close_panel),
        text="Its public page says at once that it is not valid, for good. The reason is for staff only; nobody is written to.",
        problem=LearnerDetail.problem,
    )


LEARNER_DETAIL = Screen(
    path=LEARNER_PATH,
    title="Learner",
    permission=Permission.SEE_LEARNERS,
    body=_page,
    on_load=(LearnerDetail.open_record,),
    under=LEARNERS_PATH,
)
