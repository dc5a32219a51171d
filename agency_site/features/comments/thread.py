"""What stands under an article: the count, the comments, and around them the form."""

from typing import Any

import reflex as rx
from reflex.components.component import Component

from agency_site.features.comments.state import CommentThread
from agency_site.features.comments.view import comment_form
from agency_site.site.layout.route import AWAITED
from agency_site.ui.elements import button

NO_COMMENTS = "No Comments"
"""The label while there are none (specification, section 2)."""
ANCHOR = "comments"
OPEN = (CommentThread.open_thread,)
"""Events of a page with comments."""


class Thread(Component):
    """Opens the comments without moving what is being read."""

    library = "$/agency_site/features/comments/thread.jsx"
    tag = "CommentThread"
    count: rx.Var[int]


def comment_count(slug: str) -> rx.Component:
    """`No Comments` at first; the number of the article's comments once it is known, in the same room."""
    return rx.el.span(_label(slug), class_name="comment-count")


def comment_section(slug: str) -> rx.Component:
    """Count, comments and form of the article with that slug."""
    here = CommentThread.article == slug
    return Thread.create(
        rx.el.div(
            rx.el.div(
                rx.el.h2(_label(slug), class_name="display text-subheading"),
                _words(),
                rx.el.p("Comments of other readers need JavaScript.", class_name="comment-scripts"),
            ),
            rx.el.div(_comments(here), comment_form(slug)),
            class_name="wrap article-grid",
        ),
        count=rx.cond(here, CommentThread.total, 0),
        id=ANCHOR,
        class_name="bg-sand",
    )


def _label(slug: str) -> rx.Var[str]:
    return rx.cond(
        (CommentThread.article == slug) & (CommentThread.label != ""), CommentThread.label, NO_COMMENTS
    )


def _words() -> rx.Component:
    """One of three, in the same place: it is as tall as the tallest of them from the start."""
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


def _comment(one: Any) -> rx.Component:
    return rx.el.li(
        rx.el.article(
            rx.el.p(
                rx.el.bdi(one["name"], class_name="font-semibold"),
                rx.el.time(one["day"], date_time=one["at"], class_name="text-small text-muted"),
                rx.cond(
                    one["website"] != "",
                    rx.el.a(
                        one["host"],
                        href=one["website"],
                        rel="nofollow ugc noopener",
                        class_name="link text-small",
                    ),
                ),
                class_name="comment-by",
            ),
            # Plain text: React escapes it, and no address in it becomes a link.
            rx.el.p(one["text"], dir="auto", class_name="comment-text"),
        ),
        key=one["reference"],
        id=one["reference"],
        class_name="comment",
    )
