"""An author's own comment, behind a private link."""

import reflex as rx

from agency_site.features.comments.state import OwnComment
from agency_site.site.layout.private_link import private_link_page, unknown_link
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import fact
from agency_site.ui.elements import announced, button, link_button


def _own_comment() -> rx.Component:
    unknown = unknown_link("We know no comment under this link.", link_button("Read the blog", "/blog"))
    return private_link_page(OwnComment, _comment(), unknown)


def _comment() -> rx.Component:
    state = OwnComment
    return rx.fragment(
        rx.el.h1("Your comment"),
        rx.el.div(
            announced(state.done),
            class_name="mt-7",
        ),
        rx.el.dl(
            rx.cond(state.title != "", fact("Article", rx.el.a(state.title, href=state.href, class_name="link"))),
            fact("Reference", state.reference),
            fact("Written", state.written),
            fact("Status", state.status),
            class_name="panel grid gap-y-3",
        ),
        rx.cond(
            state.text != "",
            rx.el.blockquote(rx.el.p(state.text, dir="auto", class_name="comment-text"), class_name="comment-own"),
        ),
        rx.cond(
            state.withdrawn,
            link_button("Read the blog", "/blog", class_name="mt-6"),
            rx.el.div(
                button("Withdraw my comment", on_click=state.withdraw),
                rx.el.p("Withdrawn is for good: to say it again, write it again.", class_name="text-muted"),
                class_name="grid gap-3 mt-6 justify-items-start",
            ),
        ),
    )  # fmt: skip


ROUTES = (
    Route(
        path="/comment/[comment_token]",
        title="Your comment",
        description="See your comment or take it back.",
        body=_own_comment,
        on_load=(OwnComment.open_comment,),
        private=True,
    ),
)
