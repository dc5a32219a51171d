"""The comments beneath a blog article: the count, the comments, and the form."""

from typing import Any

import reflex as rx

from agency_site.features.comments.state import SHOWN, CommentForm, CommentThread, find_article
from agency_site.features.comments.usecases import SHOWN_AT_ONCE
from agency_site.site.layout.route import shown_from
from agency_site.ui.elements import Text, button, link_button, notice
from agency_site.ui.form_guard import guard
from agency_site.ui.forms import field, small_print, text_area
from agency_site.ui.page_region import PageRegion
from agency_site.ui.server_html import Enhanced
from agency_site.ui.values import choose, each, entry_of

_FORM = "comment"
_NO_COMMENTS = "No Comments"
"""The label while there are none (specification, section 2)."""
_ANCHOR = "comments"
_MORE = "Show more"
OPEN = (CommentThread.open_thread,)
"""Events of a page with comments."""
COUNT_REGION, REGION = "comment-count", "comments"
Form = CommentForm | type[CommentForm]
ThreadState = CommentThread | type[CommentThread]


class CommentFrame(Enhanced):
    """Stores the author in this browser and moves the focus after a submission."""

    library = "$/agency_site/features/comments/frame.jsx"
    tag = "CommentFrame"
    accepted: rx.Var[int]
    refused: rx.Var[int]

    def without_scripts(self) -> rx.Component:
        """The same frame."""
        return rx.el.div(*self.children, class_name=self.class_name, custom_attrs=self.custom_attrs)


def _comment_form(slug: str, form: Form) -> rx.Component:
    """Heading, form and result for the article with that slug."""
    here = form.article == slug
    return rx.el.section(
        rx.el.h2("Leave a comment", id="comment-heading", class_name="text-subheading"),
        rx.el.p(
            "Your email address will not be published. Required fields are marked *",
            class_name="mt-3 text-muted",
        ),
        rx.el.p("Every comment goes to our editors first.", class_name="text-muted"),
        CommentFrame.create(
            _result(form, here),
            _form(slug, form, here),
            accepted=form.round,
            refused=form.refused,
            class_name="mt-6",
            custom_attrs=shown_from("comment-author"),
        ),
        on_mount=CommentForm.begin,
        aria_labelledby="comment-heading",
        class_name="panel",
    )


def _form(slug: str, form: Form, here: Any) -> rx.Component:
    def error(name: str) -> Text:
        return choose(here, entry_of(form.errors, name), "")  # type: ignore[no-any-return]

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
        guard(form),
        small_print("What we publish stands in our"),
        id="comment-form",
        action="/comment#comment-heading",
        method="post",
        on_submit=CommentForm.submit,
        custom_attrs={"noValidate": True},
        aria_labelledby="comment-heading",
    )  # fmt: skip


def _result(form: Form, here: Any) -> rx.Component:
    return rx.fragment(
        choose(
            here & (form.answer != ""),
            notice(
                rx.el.p(form.answer, class_name="font-semibold"),
                choose(form.note != "", rx.el.p(form.note, class_name="mt-2")),
                tone="success",
                role="alert",
                class_name="mb-6",
                custom_attrs={"tabIndex": -1, "data-thanks": ""},
            ),
        ),
        choose(
            here & (form.failure != ""),
            notice(rx.el.p(form.failure, class_name="font-semibold"), tone="error", class_name="mb-6"),
        ),
    )


def comment_count(slug: str) -> rx.Component:
    """`No Comments` at first; the number of comments once it is known, in the same space."""
    here = CommentThread.article == slug
    shown = PageRegion.create(rx.el.span(comment_label(slug)), name=COUNT_REGION, ready=here)
    return rx.el.span(shown, class_name="comment-count")


def comment_section(slug: str) -> rx.Component:
    """Count, comments and form of the article with that slug."""
    return PageRegion.create(comments(slug), name=REGION, ready=CommentThread.article == slug)


def comments(slug: str, thread: ThreadState = CommentThread, form: Form = CommentForm) -> rx.Component:
    """What the section shows."""
    here = thread.article == slug
    has_comments = here & (thread.total > 0)
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                rx.el.h2(comment_label(slug, thread), class_name="display text-subheading"),
                rx.el.p(
                    choose(has_comments, "Join in.", "Yours can be the first."),
                    " Disagree, add what we missed, or tell us how it went in your business.",
                    class_name="comment-words mt-3 text-muted",
                ),
            ),
            rx.el.div(choose(has_comments, _comments(slug, thread)), _comment_form(slug, form)),
            class_name="wrap article-grid",
        ),
        id=_ANCHOR,
        class_name="bg-sand",
    )


def comment_label(slug: str, thread: ThreadState = CommentThread) -> Text:
    """How many comments there are."""
    return choose(  # type: ignore[no-any-return]
        (thread.article == slug) & (thread.label != ""), thread.label, _NO_COMMENTS
    )


def _comments(slug: str, thread: ThreadState) -> rx.Component:
    more = _more_link(slug, thread) if isinstance(thread, CommentThread) else _more_button()
    return rx.el.section(
        rx.el.ol(each(thread.shown, _comment), class_name="comment-list"),
        choose(thread.more, more),
        aria_label="Comments",
        class_name="comment-thread",
    )


def _more_button() -> rx.Component:
    return button(
        _MORE, id="more-comments", tone="ghost", on_click=CommentThread.show_more, class_name="mt-6"
    )


def _more_link(slug: str, thread: CommentThread) -> rx.Component:
    """The same with more of them: without scripts the page is loaded anew, at the last comment that was read."""
    if not thread.shown:
        return rx.fragment()
    last, count = thread.shown[-1]["reference"], len(thread.shown) + SHOWN_AT_ONCE
    href = f"{find_article(slug)[1]}?{SHOWN}={count}#{last}"
    return link_button(_MORE, href, tone="ghost", id="more-comments", class_name="mt-6")


def _comment(comment: Any) -> rx.Component:
    return rx.el.li(
        rx.el.article(
            rx.el.p(
                rx.el.bdi(comment["name"], class_name="font-semibold"),
                rx.el.time(comment["day"], date_time=comment["at"], class_name="text-small text-muted"),
                choose(
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
