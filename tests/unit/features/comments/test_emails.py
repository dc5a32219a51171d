"""The notice to editors about a comment."""

from agency_site.content.brand import BRAND
from agency_site.features.comments.emails import notice_link, staff_comment
from agency_site.features.comments.request import CommentRequest
from agency_site.form_input import read_form
from agency_site.mail.render import render_message
from agency_site.mail.rules import validate_message
from agency_site.settings import settings
from tests.example_records import ARTICLE
from tests.unit.features.comments.test_request import FORM

REFERENCE = "CM-7F3K9Q"


def test_the_notice_holds_the_comment_and_its_article() -> None:
    notice = staff_comment(
        read_form(CommentRequest, {**FORM, "comment": "One.\n\nTwo.", "website": "example.co.ke"}), REFERENCE
    )
    assert (notice.to, notice.reply_to) == (BRAND.staff_email, "amina@example.com")
    assert notice.subject == f"Comment: {ARTICLE.title}, Amina Odhiambo"
    assert notice.paragraphs == ("One.", "Two.")
    assert notice.facts == (
        ("Reference", REFERENCE),
        ("Article", ARTICLE.title),
        ("Name", "Amina Odhiambo"),
        ("E-mail", "amina@example.com (never published)"),
        ("Website", "https://example.co.ke"),
    )
    assert notice.actions == (
        ("Approve or reject", notice_link(REFERENCE)),
        ("Open the article", f"{settings().site_url}/{ARTICLE.slug}"),
    )


def test_markup_in_a_comment_stays_text() -> None:
    html = render_message(
        validate_message(
            staff_comment(
                read_form(CommentRequest, {**FORM, "comment": "<img src=x onerror=alert(1)>"}), REFERENCE
            )
        )
    ).html
    assert "<img" not in html
    assert "&lt;img" in html


def test_a_name_of_two_lines_is_one_line_in_the_subject() -> None:
    notice = staff_comment(read_form(CommentRequest, {**FORM, "name": "Amina\r\nBcc: Odhiambo"}), REFERENCE)
    assert notice.subject == f"Comment: {ARTICLE.title}, Amina Bcc: Odhiambo"
