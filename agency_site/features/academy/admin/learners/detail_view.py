"""The detail page of a learner."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.clients import client_fact
from agency_site.backoffice.detail_page import (
    detail_page,
    detail_screen,
    edit_card,
    panel_form,
    panel_question,
    record_head,
)
from agency_site.backoffice.dialogs import notify_checkbox
from agency_site.backoffice.elements import card, fact, fact_list, small_button, small_note
from agency_site.backoffice.state import has_permission
from agency_site.backoffice.texts.dialog import link_button, message_button, message_dialogs
from agency_site.features.academy.admin.labels import LEARNER_PATH, LEARNERS_PATH, RUN_PATH
from agency_site.features.academy.admin.learners.detail import (
    EDIT_FORM,
    END,
    ISSUE,
    MOVE,
    REVOKE,
    SEND_LINK,
    WAIT,
    LearnerDetail,
)
from agency_site.features.academy.admin.learners.messages import LearnerMessages
from agency_site.features.academy.certificates.staff_request import REASON_LENGTH
from agency_site.features.academy.learners.rules import LearnerChange
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH, PHONE_LENGTH
from agency_site.ui.elements import mail_link, served_link, text_link
from agency_site.ui.forms import field, field_error, select_field, state_options
from agency_site.ui.sharing import CopyButton

NAME_FORM = "learner"

MOVE_FORM, REVOKE_FORM, WAIT_FORM = "learner-move", "learner-revoke", "learner-wait"


def _learner_page() -> rx.Component:
    facts = LearnerDetail.facts
    return rx.fragment(
        detail_page(
            LearnerDetail,
            record_head(
                LearnerDetail.reference, facts["state_name"], facts["tone"], facts["name"], facts["course"], _learner_actions(),
                label="Learner",
            ),
            rx.cond(LearnerDetail.panel == EDIT_FORM, _edit_form()),
            _learner_card(),
            empty=(
                "This page shows one learner. Choose them in the list, or search for a name above.",
                "All learners",
                LEARNERS_PATH,
            ),
        ),
        _move_dialog(),
        _revoke_dialog(),
        _wait_dialog(),
        _end_dialog(),
        _link_dialog(),
        _issue_dialog(),
        message_dialogs(LearnerMessages, "learner-text"),
    )  # fmt: skip


def _learner_actions() -> rx.Component:
    facts = LearnerDetail.facts
    return rx.cond(
        has_permission(Permission.WORK_LEARNERS),
        rx.fragment(
            rx.cond(
                has_permission(Permission.WORK_ENROLMENTS) & (facts["can_change"] != ""),
                small_button(
                    rx.cond(facts["email"] != "", "Edit learner", "Name the learner"),
                    tone="ink",
                    on_click=LearnerDetail.edit,
                ),
            ),
            rx.cond(
                LearnerDetail.runs,
                small_button("Move to another run", tone="ghost", on_click=LearnerDetail.begin_move),
            ),
            rx.cond(
                LearnerDetail.runs & (facts["run"] == ""),
                small_button("Put on a waiting list", tone="ink", on_click=LearnerDetail.begin_waiting),
            ),
            rx.cond(
                facts["email"] != "",
                small_button(
                    "Send the link again",
                    tone="ghost",
                    on_click=LearnerDetail.ask_to_mail(SEND_LINK),
                ),
            ),
            rx.cond(
                facts["email"] != "",
                rx.fragment(
                    message_button(LearnerMessages, LearnerDetail.reference),
                    link_button(LearnerMessages, LearnerDetail.reference),
                ),
            ),
            _certificate_action(),
            rx.cond(
                has_permission(Permission.WORK_ENROLMENTS) & (facts["can_change"] != ""),
                small_button("End place", tone="ghost", on_click=LearnerDetail.ask_to_end),
            ),
        ),
    )


def _certificate_action() -> rx.Component:
    facts = LearnerDetail.facts
    issue = small_button("Issue certificate", tone="ink", on_click=LearnerDetail.ask_to_mail(ISSUE))
    revoke = small_button("Revoke certificate", tone="ghost", on_click=LearnerDetail.begin_revocation)
    is_valid = (facts["certificate"] != "") & (facts["revoked"] == "")
    revoke = rx.cond(has_permission(Permission.WORK_ENROLMENTS), revoke)
    return rx.cond(is_valid, revoke, rx.cond(facts["can_get_certificate"] != "", issue))


def _edit_form() -> rx.Component:
    draft, errors = LearnerDetail.draft, LearnerDetail.errors
    is_named = draft["email"] != ""
    change = rx.el.fieldset(
        rx.el.legend("What changes?", class_name="field-label"),
        _change_option(
            LearnerChange.CORRECTION,
            "The same person",
            "A mistake is corrected, or the person has a new name or address. Attendance and certificates stay. "
            "The link goes to a new address; the old one gets no e-mail.",
            checked=True,
        ),
        _change_option(
            LearnerChange.HANDOVER,
            "Another person takes the place",
            "Their attendance starts from zero, and they get the dates by e-mail. "
            "The previous learner gets an e-mail that the place was transferred.",
            checked=False,
        ),
        field_error(errors["change"], "learner-change-error"),
        class_name="money-choice",
    )
    return edit_card(
        LearnerDetail,
        NAME_FORM,
        "Learner",
        field("Full name", "fullname", form=NAME_FORM, error=errors["fullname"], default_value=draft["fullname"],
              max_length=NAME_LENGTH, auto_complete="off", kind="person"),
        field("E-mail", "email", form=NAME_FORM, error=errors["email"], default_value=draft["email"],
              max_length=EMAIL_LENGTH, type="email", auto_complete="off"),
        field("Phone", "phone", form=NAME_FORM, error=errors["phone"], default_value=draft["phone"], optional="optional",
              max_length=PHONE_LENGTH, type="tel", auto_complete="off"),
        rx.cond(
            is_named,
            change,
            small_note("The learner gets the dates and a link to their own page by e-mail."),
        ),
        rx.cond(
            LearnerDetail.facts["certificate"] != "",
            small_note(
                "A certificate keeps the name it was issued with: after a correction, revoke it and issue it again.",
            ),
        ),
        on_submit=LearnerDetail.save,
        focus=f"{NAME_FORM}-fullname",
    )  # fmt: skip


def _change_option(change: LearnerChange, label: str, effect: str, *, checked: bool) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="radio", name="change", value=change.value, default_checked=checked),
        rx.el.span(rx.el.strong(label), rx.el.small(effect)),
        class_name="money-option",
    )


def _end_dialog() -> rx.Component:
    facts = LearnerDetail.facts
    return panel_form(
        LearnerDetail,
        END,
        "End this place?",
        notify_checkbox("Notify the learner, and the buyer, by e-mail"),
        submit=("End the place", LearnerDetail.end_place),
        cancel="Keep it",
        text=rx.el.p(
            "The place is freed for good, and goes to the waiting list if there is one. ",
            rx.cond(
                facts["places"] == "1",
                "It is the order's only place, so its enrolment ends. ",
                "The other places of the order stay. ",
            ),
            "No money is returned: record a refund on the page of the order.",
        ),
    )


def _link_dialog() -> rx.Component:
    return panel_question(
        LearnerDetail,
        SEND_LINK,
        "Send the link again?",
        "The link to the learner's page goes to ",
        rx.el.strong(LearnerDetail.facts["email"]),
        ".",
        confirm=("Send the e-mail", LearnerDetail.send_link),
    )


def _issue_dialog() -> rx.Component:
    facts = LearnerDetail.facts
    return panel_question(
        LearnerDetail,
        ISSUE,
        "Issue a certificate?",
        "It will carry the name ",
        rx.el.strong(facts["name"]),
        ". An e-mail goes to ",
        rx.el.strong(facts["email"]),
        ".",
        confirm=("Issue and send the e-mail", LearnerDetail.issue_certificate),
    )


def _learner_card() -> rx.Component:
    facts = LearnerDetail.facts
    order = text_link(facts["order"], "/admin/order?ref=" + facts["order"])
    return card(
        "Learner",
        fact_list(
            fact("E-mail", mail_link(facts["email"]), is_shown=facts["email"] != ""),
            fact("Phone", facts["phone"], is_shown=facts["phone"] != ""),
            client_fact("learners", LearnerDetail.reference, is_shown=facts["email"] != ""),
            fact("Course", facts["course"]),
            fact(
                "Course run",
                text_link(facts["run"], f"{RUN_PATH}?ref=" + facts["run"]),
                is_shown=facts["run"] != "",
            ),
            fact("Starts", facts["starts"], is_shown=facts["starts"] != ""),
            fact(
                "Order",
                rx.cond(has_permission(Permission.SEE_PAYMENTS), order, facts["order"]),
                is_shown=facts["order"] != "",
            ),
            fact("Place", facts["place"]),
            fact("Since", facts["since"]),
            fact("Attended", facts["attended"], is_shown=facts["attended"] != ""),
            fact(
                "Certificate",
                rx.fragment(
                    served_link(
                        facts["certificate_short"],
                        href="/certificate/" + facts["certificate"],
                        class_name="link",
                    ),
                    " ",
                    # Its page is public, so a copy is not audited.
                    CopyButton.create(
                        path="/certificate/" + facts["certificate"],
                        label="Copy link",
                        class_name="office-quiet",
                    ),
                ),
                is_shown=facts["certificate"] != "",
            ),
            fact("Issued", facts["issued"], is_shown=facts["issued"] != ""),
            fact("Revoked", facts["revoked"], is_shown=facts["revoked"] != ""),
            fact("Reason", facts["reason"], is_shown=facts["reason"] != ""),
        ),
    )


def _move_dialog() -> rx.Component:
    facts = LearnerDetail.facts
    return panel_form(
        LearnerDetail,
        MOVE,
        "Move to another run",
        rx.el.div(
            select_field(
                "Course run",
                "run",
                [state_options(LearnerDetail.runs)],
                form=MOVE_FORM,
                error=LearnerDetail.errors["run"],
            )
        ),
        notify_checkbox("Send the new dates by e-mail"),
        submit=("Move", LearnerDetail.move),
        text=rx.el.p(
            rx.cond(
                facts["places"] == "1",
                "One place moves.",
                "All "
                + facts["places"]
                + " places of the order move together. "
                + facts["named"]
                + " of them have a name; a buyer who takes no place gets an e-mail as well.",
            )
        ),
    )


def _wait_dialog() -> rx.Component:
    return panel_form(
        LearnerDetail,
        WAIT,
        "Put on a waiting list",
        select_field(
            "Course run",
            "run",
            [state_options(LearnerDetail.runs)],
            form=WAIT_FORM,
            error=LearnerDetail.errors["run"],
        ),
        submit=("Put on the list", LearnerDetail.wait),
        text="The order is paid, so it comes before all others: as soon as the run has enough places, its learners are moved "
        "into it and get an e-mail. The buyer gets an e-mail now.",
    )


def _revoke_dialog() -> rx.Component:
    return panel_form(
        LearnerDetail,
        REVOKE,
        "Revoke the certificate?",
        field(
            "Reason",
            "reason",
            form=REVOKE_FORM,
            error=LearnerDetail.errors["reason"],
            max_length=REASON_LENGTH,
            auto_complete="off",
        ),
        submit=("Revoke", LearnerDetail.revoke_certificate),
        text="Its public page says at once, and for good, that it is not valid. Only staff see the reason. No e-mail is sent.",
    )


LEARNER_DETAIL = detail_screen(LearnerDetail, LEARNER_PATH, "Learner", _learner_page, under=LEARNERS_PATH)
