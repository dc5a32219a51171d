"""Comments, subscribers and registrations: decided, unsubscribed, cancelled, individually and in bulk."""

import secrets

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, expect_message
from tests.e2e.back_office.senders import (
    ARTICLE,
    ARTICLE_TITLE,
    Sender,
    commented,
    registered,
    state_in,
    subscribed,
)
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def comment_file(sender: Sender) -> str:
    return f"/admin/comment?ref={sender.reference}"


def subscriber_file(sender: Sender) -> str:
    return f"/admin/subscriber?ref={sender.reference}"


def go_on(page: Page, *senders: Sender, action: str) -> None:
    """Select rows and an action for them."""
    for sender in senders:
        page.get_by_label(sender.row).check()
    page.get_by_label("With selected").select_option(label=action)
    page.get_by_role("button", name="Apply").click()


def test_a_comment_is_approved_and_rejected_again_with_a_reason(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    sender = commented(site)
    page = back_office(comment_file(sender), role=Role.EDITOR)
    expect(page.get_by_role("heading", name=ARTICLE_TITLE)).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect_message(page, "Approved")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.get_by_label("Reason").fill("An advertisement after all")
    page.get_by_role("button", name="Reject").click()
    expect_message(page, "Rejected")
    expect(page.locator(".record-history li").first).to_contain_text("An advertisement after all")
    assert state_in(site, "comments", sender) == "rejected"
    assert audited(site, sender.reference) == ["comment.approved", "comment.rejected"]


def test_of_two_editors_the_second_is_asked(site: RunningSite, back_office: BackOfficeOpener) -> None:
    sender = commented(site)
    second = back_office(comment_file(sender))
    expect(second.get_by_role("button", name="Approve")).to_be_visible()
    # A tab in the background does not refresh.
    second.evaluate("Object.defineProperty(document, 'hidden', {value: true})")
    first = back_office(comment_file(sender))
    first.get_by_role("button", name="Reject").click()
    expect_message(first, "Rejected")
    second.get_by_role("button", name="Approve").click()
    panel = second.get_by_role("alert").filter(has_text="Another person changed this record")
    expect(panel.get_by_role("row").filter(has_text="State")).to_contain_text("RejectedPublished")
    assert state_in(site, "comments", sender) == "rejected"
    second.get_by_role("button", name="Keep mine").click()
    expect_message(second, "Approved")
    assert state_in(site, "comments", sender) == "approved"


def test_many_comments_are_decided_at_once_and_lists_narrow_by_article_and_state(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    first, other, third = [commented(site, secrets.token_hex(6)) for _ in range(3)]
    page = back_office(f"/admin/comments?state=pending&article={ARTICLE}", role=Role.EDITOR)
    expect(page.get_by_role("search", name="Comments").get_by_label("State")).to_have_value("pending")
    go_on(page, first, other, action="Approve")
    expect(page.get_by_role("dialog")).to_contain_text("Approve 2 comments? They will be published.")
    page.get_by_role("dialog").get_by_role("button", name="Approve").click()
    expect_message(page, "Done: 2.")
    expect(page.get_by_label(first.row)).to_have_count(0)
    go_on(page, third, action="Reject")
    page.get_by_role("dialog").get_by_role("button", name="Reject").click()
    expect(page.get_by_label(third.row)).to_have_count(0)
    assert [state_in(site, "comments", sender) for sender in (first, other, third)] == [
        "approved", "approved", "rejected",
    ]  # fmt: skip
    assert audited(site, other.reference) == ["comment.approved"]


def test_a_withdrawal_by_the_author_is_shown_by_itself(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    sender = commented(site)
    page = back_office(comment_file(sender))
    with site.connect() as connection:
        connection.execute(
            "UPDATE comments SET state = 'withdrawn', version = 2 WHERE reference = ?", (sender.reference,)
        )
    expect(page.get_by_label("Comment").get_by_text("Withdrawn")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)


def test_a_subscriber_is_unsubscribed_with_a_reason(site: RunningSite, back_office: BackOfficeOpener) -> None:
    sender = subscribed(site)
    page = back_office(subscriber_file(sender), role=Role.EDITOR)
    expect(page.get_by_role("heading", name=sender.email)).to_be_visible()
    page.get_by_role("button", name="Unsubscribe").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Unsubscribe").click()
    expect(dialog.get_by_text("Please say how the person asked for it.").first).to_be_visible()
    dialog.get_by_label("How did they ask for it?").fill("By telephone")
    dialog.get_by_role("button", name="Unsubscribe").click()
    expect_message(page, "Unsubscribed")
    expect(page.locator(".record-history li").first).to_contain_text("By telephone")
    expect(page.get_by_role("button", name="Unsubscribe")).to_have_count(0)
    assert state_in(site, "subscribers", sender) == "unsubscribed"
    assert audited(site, sender.reference) == ["subscriber.unsubscribed"]


def test_many_subscribers_are_unsubscribed_for_one_required_reason(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    some = [subscribed(site), subscribed(site)]
    page = back_office("/admin/subscribers?state=subscribed", role=Role.EDITOR)
    go_on(page, *some, action="Unsubscribe")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Unsubscribe").click()
    expect(dialog.get_by_text("Please give a reason.")).to_be_visible()
    dialog.get_by_label("Reason").fill("A mailing list that bounced")
    dialog.get_by_role("button", name="Unsubscribe").click()
    expect_message(page, "Done: 2.")
    for sender in some:
        expect(page.get_by_label(sender.row)).to_have_count(0)
        assert state_in(site, "subscribers", sender) == "unsubscribed"
    rows = site.rows(
        "SELECT e.note FROM subscriber_events e JOIN subscribers s ON s.id = e.subscriber_id WHERE s.reference = ?",
        some[0].reference,
    )
    assert rows == [("A mailing list that bounced",)]


def test_webinar_registrations_are_cancelled(site: RunningSite, back_office: BackOfficeOpener) -> None:
    sender = registered(site)
    page = back_office(f"/admin/registrations?q={sender.reference}", role=Role.FRONT_DESK)
    expect(page.get_by_role("row").filter(has_text=sender.reference)).to_contain_text("Registered")
    go_on(page, sender, action="Cancel registration")
    page.get_by_role("dialog").get_by_role("button", name="Cancel registration").click()
    expect_message(page, "Done: 1.")
    assert state_in(site, "webinar_registrations", sender) == "cancelled"
    assert audited(site, sender.reference) == ["registration.cancelled"]


def test_a_viewer_finds_no_action(site: RunningSite, back_office: BackOfficeOpener) -> None:
    page = back_office(comment_file(commented(site)), role=Role.VIEWER)
    expect(page.get_by_text("We tried this, and it works.")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page = back_office(subscriber_file(subscribed(site)), role=Role.VIEWER)
    expect(page.get_by_role("button", name="Unsubscribe")).to_have_count(0)


def test_the_unsubscribe_dialog_has_no_barriers(site: RunningSite, back_office: BackOfficeOpener) -> None:
    page = back_office(subscriber_file(subscribed(site)), viewport=DESKTOP, reduced_motion="reduce")
    page.get_by_role("button", name="Unsubscribe").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect_no_barriers(barriers(page))
