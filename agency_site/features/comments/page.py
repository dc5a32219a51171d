"""An author's own comment, behind a private link."""

import reflex as rx

from agency_site.features.comments.state import OwnComment
from agency_site.site.layout.private_link import private_link_page, unknown_link
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import fact
from agency_site.ui.elements import announced, button, link_button
from agency_site.ui.forms import sent_mark
from agency_site.ui.values import choose

UNKNOWN_COMMENT = unknown_link("We know no comment under this link.", link_button("Read the blog", "/blog"))


def _own_comment_page() -> rx.Component:
    return private_link_page(OwnComment, own_comment(), UNKNOWN_COMMENT)


def own_comment(state: OwnComment | type[OwnComment] = OwnComment) -> rx.Component:
    """The comment, its status, and the button that withdraws it."""
    return rx.fragment(
        rx.el.h1("Your comment"),
        rx.el.div(
            announced(state.done),
            class_name="mt-7",
        ),
        rx.el.dl(
            choose(state.title != "", fact("Article", rx.el.a(state.title, href=state.href, class_name="link"))),
            fact("Reference", state.reference),
            fact("Written", state.written),
            fact("Status", state.status),
            class_name="panel grid gap-y-3",
        ),
        choose(
            state.text != "",
            rx.el.blockquote(rx.el.p(state.text, dir="auto", class_name="comment-text"), class_name="comment-own"),
        ),
        choose(
            state.withdrawn,
            link_button("Read the blog", "/blog", class_name="mt-6"),
            rx.el.form(
                button("Withdraw my comment", type="submit"),
                sent_mark(),
                rx.el.p("Withdrawn is for good: to say it again, write it again.", class_name="text-muted"),
                id="withdraw-comment",
                action=state.link + "/withdraw",
                method="post",
                on_submit=OwnComment.withdraw,
                class_name="grid gap-3 mt-6 justify-items-start",
            ),
        ),
    )  # fmt: skip


ROUTES = (
    Route(
        path="/comment/[comment_token]",
        title="Your comment",
        description="See your comment or take it back.",
        body=_own_comment_page,
        on_load=(OwnComment.open_comment,),
        private=True,
    ),
)
