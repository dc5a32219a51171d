"""The page of a picture."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.detail_page import (
    detail_page,
    detail_screen,
    edit_card,
    panel_question,
    record_head,
)
from agency_site.backoffice.elements import (
    card,
    columns,
    fact,
    fact_list,
    field_pair,
    small_button,
    small_note,
)
from agency_site.backoffice.state import has_permission
from agency_site.features.editing.admin.pictures.behaviours import FocalPoint
from agency_site.features.editing.admin.pictures.detail import DELETE, EDIT_FORM, PicturePage
from agency_site.features.editing.pictures.api import PICTURE_LIST, PICTURE_PAGE
from agency_site.features.editing.pictures.rules import ALT_LENGTH
from agency_site.ui.forms import field

FORM = "picture"


def _picture_page() -> rx.Component:
    facts = PicturePage.facts
    return rx.fragment(
        detail_page(
            PicturePage,
            record_head(
                facts["size"], facts["state"], facts["tone"], facts["name"],
                "Uploaded " + facts["uploaded"] + " by " + facts["author"], _action_buttons(), label="Picture",
            ),
            rx.cond(PicturePage.panel == EDIT_FORM, _edit_card(), _picture_card()),
            columns(_details_card(), _uses_card()),
            empty=("No picture selected. Choose one from the list.", "All pictures", PICTURE_LIST),
        ),
        panel_question(
            PicturePage,
            DELETE,
            "Delete this picture?",
            "Its files are removed. Upload it again if you need it later.",
            rx.cond(
                PicturePage.earlier_uses,
                " Earlier versions of texts show it: they cannot be published again without it.",
                "",
            ),
            confirm=("Delete picture", PicturePage.delete),
        ),
    )  # fmt: skip


def _action_buttons() -> rx.Component:
    return rx.cond(
        has_permission(Permission.WORK_CONTENT),
        rx.fragment(
            small_button("Edit", tone="ink", on_click=PicturePage.edit),
            rx.cond(
                PicturePage.uses.length() == 0,
                small_button("Delete", tone="ghost", on_click=PicturePage.ask_to_delete),
            ),
        ),
    )


def _picture_card() -> rx.Component:
    facts = PicturePage.facts
    image = rx.el.img(src=facts["src"], alt=facts["alt"], class_name="picture-large")
    return card("Picture", image, identity="picture-heading")


def _edit_card() -> rx.Component:
    facts: Any = PicturePage.facts
    draft: Any = PicturePage.draft
    errors: Any = PicturePage.errors
    number: dict[str, Any] = {"type": "number", "min": 0, "max": 100, "step": 1, "form": FORM}
    return edit_card(
        PicturePage,
        FORM,
        "Describe the picture",
        field(
            "Description", "alt", form=FORM, error=errors["alt"], default_value=draft["alt"], max_length=ALT_LENGTH,
            auto_complete="off", hint="What it shows, in one sentence, for people who do not see it.",
        ),
        rx.el.label(
            rx.el.input(type="checkbox", name="is_decorative", default_checked=draft["is_decorative"] != ""),
            "Decorative: it shows nothing that a text could say",
            class_name="office-tick",
        ),
        small_note("Click the part of the picture that must stay visible when it is cropped."),
        FocalPoint.create(
            src=facts["src"], label=draft["alt"], across=f"{FORM}-focus_x", down=f"{FORM}-focus_y"
        ),
        field_pair(
            field("From the left, in %", "focus_x", error=errors["focus_x"], default_value=draft["focus_x"], **number),
            field("From the top, in %", "focus_y", error=errors["focus_y"], default_value=draft["focus_y"], **number),
        ),
        on_submit=PicturePage.save,
        focus=f"{FORM}-alt",
    )  # fmt: skip


def _details_card() -> rx.Component:
    facts = PicturePage.facts
    share = rx.el.img(src=facts["share"], alt="", class_name="picture-share")
    return card(
        "Details",
        fact_list(
            fact("Description", facts["alt"], is_shown=facts["alt"] != ""),
            fact("Focal point", facts["focus"]),
            fact("Address", rx.el.code(facts["address"])),
            fact("When shared", share, is_shown=facts["share"] != ""),
        ),
        identity="picture-details",
    )


def _use_list(uses: Any) -> rx.Component:
    return rx.el.ul(rx.foreach(uses, lambda line: rx.el.li(line, key=line)), class_name="office-log")


def _uses_card() -> rx.Component:
    lines = _use_list(PicturePage.uses)
    return card(
        "Used in",
        rx.cond(PicturePage.uses, lines, small_note("Not used anywhere.")),
        rx.cond(
            PicturePage.earlier_uses,
            rx.fragment(small_note("Only in earlier versions of:"), _use_list(PicturePage.earlier_uses)),
        ),
        identity="picture-uses",
    )


PICTURE_SCREEN = detail_screen(PicturePage, PICTURE_PAGE, "Picture", _picture_page, under=PICTURE_LIST)
