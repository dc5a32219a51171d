"""The comments below a blog article: the count, the comments and the form."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from agency_site.clock import in_nairobi
from agency_site.features.comments.records import PublishedComment
from agency_site.features.comments.state import (
    SHOWN,
    CommentForm,
    Comments,
    find_article,
    find_host,
    format_day,
)
from agency_site.features.comments.usecases import SHOWN_AT_ONCE
from agency_site.mail.rules import split_paragraphs
from agency_site.ui.behaviours import ResetAfter
from agency_site.ui.elements import Text, button, link_button
from agency_site.ui.form_guard import guard
from agency_site.ui.form_result import form_result
from agency_site.ui.forms import field, small_print, text_area
from agency_site.ui.page_region import PageRegion, ServedRegion
from agency_site.ui.server_html import Enhanced, new_state
from agency_site.ui.values import cond, entry_of

_FORM, _FORM_ID = "comment", "comment-form"
_NO_COMMENTS = "No Comments"
"""The label of an article without comments (specification, section 2)."""
_ANCHOR = "comments"
COUNT_REGION, INTRO_REGION, THREAD_REGION, FORM_REGION = (
    "comment-count",
    "comment-intro",
    "comment-thread",
    "comment-form",
)
Form = CommentForm | type[CommentForm]


class CommentFrame(Enhanced):
    """The frame that stores the author in this browser after a submission."""

    library = "$/agency_site/features/comments/frame.jsx"
    tag = "CommentFrame"
    accepted: rx.Var[int]

    def without_scripts(self) -> rx.Component:
        return rx.el.div(*self.children, class_name=self.class_name, custom_attrs=self.custom_attrs)


def comment_form(slug: str, form: Form = CommentForm) -> rx.Component:
    """The heading, form and result for the article with that slug."""
    here = form.article == slug
    return rx.el.section(
        rx.el.h2("Leave a comment", id="comment-heading", class_name="text-subheading"),
        rx.el.p(
            "Your email address will not be published. Required fields are marked *",
            class_name="mt-3 text-muted",
        ),
        rx.el.p("Every comment goes to our editors first.", class_name="text-muted"),
        CommentFrame.create(
            _form_fields(slug, form, here),
            ResetAfter.create(when=form.round, target=_FORM_ID),
            cond(here, form_result(form, "comment-sent")),
            accepted=form.round,
            class_name="mt-6",
        ),
        aria_labelledby="comment-heading",
        class_name="panel",
    )


def _form_fields(slug: str, form: Form, here: Any) -> rx.Component:
    def error(name: str) -> Text:
        return cond(here, entry_of(form.errors, name), "")  # type: ignore[no-any-return]

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
            auto_complete="url", placeholder="https://", enter_key_hint="send",
        ),
        rx.el.label(
            rx.el.input(type="checkbox", name="saveInfo", class_name="check-box"),
            rx.el.span("Save my name, email, and website in this browser for the next time I comment"),
            class_name="check-label mb-6",
        ),
        button("Post comment", type="submit"),
        guard(form),
        small_print("What we publish is described in our"),
        id=_FORM_ID,
        action="/comment",
        method="post",
        on_submit=CommentForm.submit,
        custom_attrs={"noValidate": True},
        aria_labelledby="comment-heading",
    )  # fmt: skip


def comment_count() -> rx.Component:
    """The number of comments, or `No Comments`, in the same space."""
    return rx.el.span(ServedRegion.create(_NO_COMMENTS, name=COUNT_REGION), class_name="comment-count")


def comment_section(slug: str) -> rx.Component:
    """The count, comments and form of the article with that slug."""
    return rx.el.div(
        rx.el.div(
            ServedRegion.create(comments_intro(0), name=INTRO_REGION),
            rx.el.div(
                ServedRegion.create(name=THREAD_REGION),
                PageRegion.create(comment_form(slug), name=FORM_REGION),
            ),
            class_name="wrap article-grid",
        ),
        id=_ANCHOR,
        class_name="bg-sand",
    )


def comments_intro(total: int) -> rx.Component:
    """The number of comments, and an invitation to add one."""
    return rx.el.div(
        rx.el.h2(label_count(total), class_name="display text-subheading"),
        rx.el.p(
            "Join in." if total else "Yours can be the first.",
            " Disagree, add what we missed, or tell us how it went in your business.",
            class_name="comment-words mt-3 text-muted",
        ),
    )


def label_count(total: int) -> str:
    """Format the number, such as `1 Comment` or `2 Comments`."""
    return f"{total:,} Comment{'' if total == 1 else 's'}" if total else _NO_COMMENTS


def comment_thread(slug: str, comments: Comments) -> rx.Component:
    """The published comments of an article."""
    more = _more_link(slug, comments) if comments.total > len(comments.oldest) else rx.fragment()
    return rx.el.section(
        rx.el.ol(*map(_comment_item, comments.oldest), class_name="comment-list"),
        more,
        aria_label="Comments",
        class_name="comment-thread",
    )


def _more_link(slug: str, comments: Comments) -> rx.Component:
    """The link that loads more comments and keeps the reader at the last one shown."""
    last, count = comments.oldest[-1].reference, len(comments.oldest) + SHOWN_AT_ONCE
    href = f"{find_article(slug)[1]}?{SHOWN}={count}#{last}"
    return link_button("Show more", href, tone="ghost", id="more-comments", class_name="mt-6")


def _comment_item(comment: PublishedComment) -> rx.Component:
    moment = in_nairobi(comment.created_at).isoformat(timespec="minutes")
    return rx.el.li(
        rx.el.article(
            rx.el.p(
                rx.el.bdi(comment.fullname, class_name="font-semibold"),
                rx.el.time(
                    format_day(comment.created_at), date_time=moment, class_name="text-small text-muted"
                ),
                _website_link(comment.website),
                class_name="comment-by",
            ),
            # Plain text: it is escaped, and addresses in it do not become links, which spammers want.
            rx.el.p("\n\n".join(split_paragraphs(comment.text)), dir="auto", class_name="comment-text"),
        ),
        id=comment.reference,
        class_name="comment",
    )


def _website_link(website: str) -> rx.Component:
    host = find_host(website)
    if not host:
        return rx.fragment()
    return rx.el.a(host, href=website, rel="nofollow ugc noopener", class_name="link text-small")


def comment_regions(slug: str) -> dict[str, Callable[[], rx.Component]]:
    """Return the regions of an article's comments that depend on the article, without scripts."""
    return {FORM_REGION: lambda: comment_form(slug, new_state(CommentForm))}
