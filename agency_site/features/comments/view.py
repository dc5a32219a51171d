"""The comments beneath a blog article: the count, the comments, and the form."""

from typing import Any

import reflex as rx
from reflex.components.component import Component

from agency_site.features.comments.state import CommentForm, CommentThread
from agency_site.site.layout.route import AWAITED, shown_from
from agency_site.ui.elements import button, notice
from agency_site.ui.form_guard import guard
from agency_site.ui.forms import field, small_print, text_area

_FORM = "comment"
_NO_COMMENTS = "No Comments"
"""The label while there are none (specification, section 2)."""
_ANCHOR = "comments"
OPEN = (CommentThread.open_thread,)
"""Events of a page with comments."""


class CommentFrame(Component):
    """Stores the author in this browser and moves the focus after a submission."""

    library = "$/agency_site/features/comments/frame.jsx"
    tag = "CommentFrame"
    accepted: rx.Var[int]
    refused: rx.Var[int]


def _comment_form(slug: str) -> rx.Component:
    """Heading, form and result for the article with that slug."""
    here = CommentForm.article == slug
    return rx.el.section(
        rx.el.h2("Leave a comment", id="comment-heading", class_name="text-subheading"),
        rx.el.p(
            "Your email address will not be published. Required fields are marked *",
            class_name="mt-3 text-muted",
        ),
        rx.el.p("Every comment goes to our editors first.", class_name="text-muted"),
        CommentFrame.create(
            _result(here),
            _form(slug, here),
            accepted=CommentForm.round,
            refused=CommentForm.refused,
            class_name="mt-6",
            custom_attrs=shown_from("comment-author"),
        ),
        on_mount=CommentForm.begin,
        aria_labelledby="comment-heading",
        class_name="panel",
    )


def _form(slug: str, here: rx.Var[bool]) -> rx.Component:
    def error(name: str) -> rx.Var[str]:
        return rx.cond(here, CommentForm.errors[name], "")

    return rx.el.form(
        rx.el.input(type="hidden", name="article", value=slug),
        text_area("Comment *", "comment", form=_FORM, error=error("comment"), rows="6"),
        rx.el.div(
            field("Full Name *", "name", form=_FORM, error=error("name"), auto_complete="name"),
            field("Email *", "email", form=_FORM, error=error("email"), type="email", auto_complete="email"),
            class_name="grid gap-x-5 sm:grid-cols-2",
        ),
        field(
            "Website", "website", form=_FORM, error=error("website"), optional="optional", type="url",
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
        on_submit=CommentForm.submit,
        custom_attrs={"noValidate": True},
        aria_labelledby="comment-heading",
    )  # fmt: skip


def _result(here: rx.Var[bool]) -> rx.Component:
    return rx.fragment(
        rx.cond(
            here & (CommentForm.answer != ""),
            notice(
                rx.el.p(CommentForm.answer, class_name="font-semibold"),
                rx.cond(CommentForm.note != "", rx.el.p(CommentForm.note, class_name="mt-2")),
                tone="success",
                role="alert",
                class_name="mb-6",
                custom_attrs={"tabIndex": -1, "data-thanks": ""},
            ),
        ),
        rx.cond(
            here & (CommentForm.failure != ""),
            notice(rx.el.p(CommentForm.failure, class_name="font-semibold"), tone="error", class_name="mb-6"),
        ),
    )


class Thread(Component):
    """Opens the comments without moving what is being read."""

    library = "$/agency_site/features/comments/thread.jsx"
    tag = "CommentThread"
    count: rx.Var[int]


def comment_count(slug: str) -> rx.Component:
    """`No Comments` at first; the number of comments once it is known, in the same space."""
    return rx.el.span(_label(slug), class_name="comment-count")


def comment_section(slug: str) -> rx.Component:
    """Count, comments and form of the article with that slug."""
    here = CommentThread.article == slug
    return Thread.create(
        rx.el.div(
            rx.el.div(
                rx.el.h2(_label(slug), class_name="display text-subheading"),
                _invitation(),
                rx.el.p("Comments of other readers need JavaScript.", class_name="comment-scripts"),
            ),
            rx.el.div(_comments(here), _comment_form(slug)),
            class_name="wrap article-grid",
        ),
        count=rx.cond(here, CommentThread.total, 0),
        id=_ANCHOR,
        class_name="bg-sand",
    )


def _label(slug: str) -> rx.Var[str]:
    return rx.cond(
        (CommentThread.article == slug) & (CommentThread.label != ""), CommentThread.label, _NO_COMMENTS
    )


def _invitation() -> rx.Component:
    """One of three in the same place, as tall as the tallest from the start, so that nothing moves."""
    return rx.el.div(
        rx.el.p(
            "Yours can be the first. Disagree, add what we missed, or tell us how it went in your business.",
            class_name="comment-first",
        ),
        rx.el.p(
            "Join in. Disagree, add what we missed, or tell us how it went in your business.", class_name="comment-others"
        ),
        button(
            "Show the comments", tone="ink", class_name="button-small comment-open", custom_attrs={"data-open": ""}
        ),
        class_name="comment-words mt-3 text-muted",
    )  # fmt: skip


def _comments(here: rx.Var[bool]) -> rx.Component:
    return rx.el.section(
        rx.cond(
            here,
            rx.el.ol(rx.foreach(CommentThread.shown, _comment), class_name="comment-list"),
        ),
        rx.cond(
            here & CommentThread.more,
            button("Show more", tone="ghost", on_click=CommentThread.show_more, class_name="mt-6"),
        ),
        aria_label="Comments",
        class_name="comment-thread",
        custom_attrs={"data-comments": "", "tabIndex": -1, **AWAITED},
    )


def _comment(comment: Any) -> rx.Component:
    return rx.el.li(
        rx.el.article(
            rx.el.p(
                rx.el.bdi(comment["name"], class_name="font-semibold"),
                rx.el.time(comment["day"], date_time=comment["at"], class_name="text-small text-muted"),
                rx.cond(
                    comment["website"] != "",
                    rx.el.a(
                        comment["host"],
                        href=comment["website"],
                        rel="nofollow ugc noopener",
                        class_name="link text-small",
                    ),
                ),
                class_name="comment-by",
            ),
            # Plain text: React escapes it, and no address in it becomes a link.
            rx.el.p(comment["text"], dir="auto", class_name="comment-text"),
        ),
        key=comment["reference"],
        id=comment["reference"],
        class_name="comment",
    )
