"""The detail page of a coupon."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.detail_page import (
    detail_page,
    detail_screen,
    edit_card,
    history_card,
    panel_question,
    record_head,
)
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import card, columns, fact, fact_list, small_button, unvalidated_form
from agency_site.backoffice.state import has_permission
from agency_site.content.courses import course_options
from agency_site.features.checkout.admin.coupons.detail import EDIT_FORM, END, CouponPage
from agency_site.features.checkout.admin.coupons.labels import COUPON, COUPONS, CouponState
from agency_site.features.checkout.orders.request import COUPON_LENGTH
from agency_site.ui.elements import button
from agency_site.ui.forms import field, select_field, state_options

FORM = "coupon"


def _coupon_page() -> rx.Component:
    return rx.fragment(
        rx.cond(
            CouponPage.ready & (CouponPage.reference == "") & has_permission(Permission.WORK_PAYMENTS),
            _new_coupon_card(),
            _coupon_record(),
        ),
        panel_question(
            CouponPage,
            END,
            "End this coupon?",
            "No further order can use it. This cannot be undone. Orders that use it keep their price.",
            confirm=("End coupon", CouponPage.end),
            cancel="Cancel",
        ),
    )


def _coupon_record() -> rx.Component:
    facts = CouponPage.facts
    return detail_page(
        CouponPage,
        record_head(
            CouponPage.reference, facts["state_name"], facts["tone"], facts["discount"], facts["scope"], _action_buttons(),
            label="Coupon",
        ),
        rx.cond(
            CouponPage.panel == EDIT_FORM,
            edit_card(
                CouponPage, FORM, "Edit coupon", *_coupon_fields(), on_submit=CouponPage.save, focus=f"{FORM}-discount"
            ),
        ),
        columns(_coupon_card(), history_card(CouponPage.lines)),
        empty=("No coupon selected. Choose one from the list.", "All coupons", COUPONS),
    )  # fmt: skip


def _action_buttons() -> rx.Component:
    return rx.cond(
        has_permission(Permission.WORK_PAYMENTS) & (CouponPage.facts["state"] != CouponState.ENDED.value),
        rx.fragment(
            small_button("Edit", tone="ink", on_click=CouponPage.edit),
            small_button("End coupon", tone="ghost", on_click=CouponPage.ask_to_end),
        ),
    )


def _new_coupon_card() -> rx.Component:
    code = field(
        "Code", "code", form=FORM, error=CouponPage.errors["code"], max_length=COUPON_LENGTH, auto_complete="off",
        kind="code", hint="Customers type this code: letters, digits and dashes. A space becomes a dash.",
    )  # fmt: skip
    return card(
        "New coupon",
        unvalidated_form(
            code,
            *_coupon_fields(),
            button("Create coupon", type="submit"),
            keep_draft(FORM, ""),
            on_submit=CouponPage.save,
            class_name="office-form",
        ),
        identity="new-coupon",
    )


def _coupon_fields() -> tuple[rx.Component, ...]:
    draft: Any = CouponPage.draft
    errors: Any = CouponPage.errors
    courses = [rx.el.option("All courses", value="")]
    courses += [rx.el.option(name, value=slug) for slug, name in course_options()]
    runs = [rx.el.option("All course runs", value=""), state_options(CouponPage.runs, draft["run_reference"])]
    return (
        field("Discount", "discount", form=FORM, error=errors["discount"], default_value=draft["discount"], max_length=20,
              auto_complete="off", hint="For example 10%, or 1,500 for KES 1,500 off the whole order."),
        select_field("Course", "course_slug", courses, form=FORM, error=errors["course_slug"],
                     default_value=draft["course_slug"]),
        select_field("Course run", "run_reference", runs, form=FORM, error=errors["run_reference"]),
        field("Valid from", "valid_from", form=FORM, error=errors["valid_from"], type="datetime-local",
              optional="leave empty: at once", default_value=draft["valid_from"]),
        field("Valid until", "valid_until", form=FORM, error=errors["valid_until"], type="datetime-local",
              optional="leave empty: no end", default_value=draft["valid_until"]),
        field("Number of uses", "uses", form=FORM, error=errors["uses"], optional="leave empty: unlimited",
              kind="number", default_value=draft["uses"], auto_complete="off"),
    )  # fmt: skip


def _coupon_card() -> rx.Component:
    facts = CouponPage.facts
    return card(
        "Coupon",
        fact_list(
            fact("Discount", facts["discount"]),
            fact("For", facts["scope"]),
            fact("Used", facts["used"]),
            fact("Valid from", facts["from"], is_shown=facts["from"] != ""),
            fact("Valid until", facts["until"], is_shown=facts["until"] != ""),
            fact("Ended on", facts["ended"], is_shown=facts["ended"] != ""),
        ),
    )


COUPON_DETAIL = detail_screen(CouponPage, COUPON, "Coupon", _coupon_page, under=COUPONS)
