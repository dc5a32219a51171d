"""The comment form beneath a blog article."""

import reflex as rx
from reflex.components.component import Component

from agency_site.features.comments.state import CommentDesk
from agency_site.site.layout.route import shown_from
from agency_site.ui.elements import button, notice
from agency_site.ui.form_guard import guard
from agency_site.ui.forms import field, small_print, text_area

FORM = "comment"


class CommentFrame(Component):
    """Remembers the author in this browser and moves the focus after an answer."""

    library = "$/agency_site/features/comments/frame.jsx"
    tag = "CommentFrame"
    accepted: rx.Var[int]
    refused: rx.Var[int]


def comment_form(slug: str) -> rx.Component:
    """Heading, form and outcome for the article with that slug."""
    here = CommentDesk.article == slug
    return rx.el.section(
        rx.el.h2("Leave a comment", id="comment-heading", class_name="text-subheading"),
        rx.el.p(
            "Your email address will not be published. Required fields are marked *",
            class_name="mt-3 text-muted",
        ),
        rx.el.p("Every comment goes to our editors first.", class_name="text-muted"),
        CommentFrame.create(
            _outcome(here),
            _form(slug, here),
            accepted=CommentDesk.accepted,
            refused=CommentDesk.refused,
            class_name="mt-6",
            custom_attrs=shown_from("comment-author"),
        ),
        on_mount=CommentDesk.begin,
        aria_labelledby="comment-heading",
        class_name="panel",
    )


def _form(slug: str, here: rx.Var[bool]) -> rx.Component:
    def error(name: str) -> rx.Var[str]:
        return rx.cond(here, CommentDesk.errors[name], "")

    return rx.el.form(
        rx.el.input(type="hidden", name="article", value=slug),
        text_area("Comment *", "comment", form=FORM, error=error("comment"), rows="6"),
        rx.el.div(
            field("Full Name *", "name", form=FORM, error=error("name"), auto_complete="name"),
            field("Email *", "email", form=FORM, error=error("email"), type="email", auto_complete="email"),
            class_name="grid gap-x-5 sm:grid-cols-2",
        ),
        field(
            "Website", "website", form=FORM, error=error("website"), optional="optional", type="url",
            auto_complete="url", placeholder="https://",
        ),
        rx.el.label(
            rx.el.input(type="checkbox", name="saveInfo", class_name="check-box"),
            rx.el.span("Save my name, email, and website in this browser for the next time I comment"),
            class_name="check-label mb-6",
        ),
        button("Post comment", type="submit"),
        guard(),
        small_print("What we publish stands in our"),
        on_submit=CommentDesk.submit,
        custom_attrs={"noValidate": True},
        aria_labelledby="comment-heading",
    )  # fmt: skip


def _outcome(here: rx.Var[bool]) -> rx.Component:
    return rx.fragment(
        rx.cond(
            here & CommentDesk.thanked,
            notice(
                rx.el.p("Thank you for your comment!", class_name="font-semibold"),
                rx.cond(CommentDesk.note != "", rx.el.p(CommentDesk.note, class_name="mt-2")),
                tone="success",
                role="alert",
                class_name="mb-6",
                custom_attrs={"tabIndex": -1, "data-thanks": ""},
            ),
        ),
        rx.cond(
            here & (CommentDesk.failure != ""),
            notice(rx.el.p(CommentDesk.failure, class_name="font-semibold"), tone="error", class_name="mb-6"),
        ),
    )
