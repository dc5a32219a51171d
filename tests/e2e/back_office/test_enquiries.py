"""Enquiries and plan sign-ups: shown live, answered by e-mail, closed, by one member of staff and by two at the same time."""

import json
import secrets

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, expect_message
from tests.e2e.back_office.senders import Sender, signed_up, state_in, wrote
from tests.e2e.conftest import Opener, RunningSite

pytestmark = pytest.mark.thorough


def file_of(sender: Sender) -> str:
    return f"/admin/enquiry?ref={sender.reference}"


def answer(page: Page, words: str) -> None:
    page.get_by_label("Your reply").fill(words)
    page.get_by_role("button", name="Send reply").click()


def test_a_message_shows_on_the_open_list_without_a_reload(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    page = back_office("/admin/messages", role=Role.FRONT_DESK)
    visitor = open_page("/contact")
    subject = f"Honey {secrets.token_hex(4)}"
    form = visitor.get_by_role("form", name="Write to us")
    for label, words in {"Name": "Wambui", "Email": "wambui@example.com", "Subject": subject}.items():
        form.get_by_label(label).fill(words)
    form.get_by_label("Message").fill("Do you take honey?")
    form.get_by_role("button").click()
    row = page.get_by_role("row").filter(has_text=subject)
    expect(row).to_be_visible()
    expect(row).to_contain_text("Unanswered")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", name=subject)).to_be_visible()
    expect(page.get_by_text("Do you take honey?")).to_be_visible()


def test_a_reply_is_sent_in_the_thread_and_shown_in_the_conversation(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    sender = wrote(site)
    page = back_office(file_of(sender), role=Role.FRONT_DESK)
    answer(page, "Dear Amina,\n\nthree weeks.")
    expect_message(page, f"Your reply is being sent to {sender.email}.")
    expect(page.locator(".thread-ours")).to_contain_text("three weeks.")
    expect(page.get_by_label("Your reply")).to_have_value("")
    expect(page.get_by_label("Enquiry").get_by_text("Answered", exact=True)).to_be_visible()
    ((kind, headers),) = site.rows('SELECT kind, headers FROM outbox_messages WHERE "to" = ?', sender.email)
    ((thread,),) = site.rows("SELECT thread FROM enquiries WHERE reference = ?", sender.reference)
    assert kind == "enquiry-reply"
    assert ["In-Reply-To", thread] in json.loads(str(headers))
    assert audited(site, sender.reference) == ["enquiry.replied"]


def test_an_empty_reply_is_rejected_next_to_its_field_and_a_note_survives_a_reply(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    sender = wrote(site)
    page = back_office(file_of(sender))
    page.get_by_label("For staff only").fill("She calls on Tuesday.")
    answer(page, "  ")
    expect(page.locator("#enquiry-reply-reply-error")).to_have_text("Please write your reply.")
    expect(page.locator("#enquiry-note-note-error")).to_be_empty()
    answer(page, "Yes.")
    expect_message(page, "being sent")
    expect(page.get_by_label("For staff only")).to_have_value("She calls on Tuesday.")
    page.get_by_role("button", name="Save note").click()
    expect_message(page, "Note saved.")
    expect(page.locator(".record-history")).to_contain_text("She calls on Tuesday.")
    expect(page.get_by_label("For staff only")).to_have_value("")
    assert audited(site, sender.reference) == ["enquiry.replied", "enquiry.noted"]


def test_an_enquiry_is_closed_and_reopened_and_the_history_says_so(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    sender = signed_up(site)
    page = back_office(file_of(sender))
    expect(page.get_by_role("heading", name="Growth plan")).to_be_visible()
    expect(page.get_by_role("link", name="0712 345 678")).to_have_attribute("href", "tel:+254712345678")
    for button, words in (
        ("Mark as answered", "Marked as answered."),
        ("Close", "Closed."),
        ("Reopen", "counted as unanswered"),
    ):
        page.get_by_role("button", name=button, exact=True).click()
        expect_message(page, words)
    assert state_in(site, "enquiries", sender) == "new"
    assert audited(site, sender.reference) == ["enquiry.answered", "enquiry.closed", "enquiry.reopened"]
    expect(page.locator(".record-history li strong")).to_have_text(
        ["Reopened", "Closed", "Marked as answered"]
    )


def second_answer(site: RunningSite, back_office: BackOfficeOpener) -> tuple[Page, Sender]:
    """Let two members of staff write a reply, the first send it, and the second see the conflict."""
    sender = wrote(site)
    first, second = back_office(file_of(sender)), back_office(file_of(sender))
    second.get_by_label("Your reply").fill("Two weeks.")
    answer(first, "Three weeks.")
    expect_message(first, "being sent")
    expect(second.locator(".thread-ours")).to_contain_text("Three weeks.")
    second.get_by_role("button", name="Send reply").click()
    panel = second.get_by_role("alert").filter(has_text="Another person changed this record")
    expect(panel.get_by_role("row").filter(has_text="Reply by e-mail")).to_contain_text(
        "Three weeks.Two weeks."
    )
    expect(panel.get_by_role("heading")).to_be_focused()
    expect(panel).to_be_in_viewport()
    assert len(site.mails(sender.email)) == 1
    return second, sender


def test_of_two_who_answer_the_second_is_asked_and_lets_it_be(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page, sender = second_answer(site, back_office)
    page.get_by_role("button", name="Keep theirs").click()
    expect_message(page, "The saved version was kept.")
    expect(page.get_by_label("Your reply")).to_have_value("")
    assert len(site.mails(sender.email)) == 1


def test_of_two_who_answer_the_second_is_asked_and_answers_too(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page, sender = second_answer(site, back_office)
    expect(page.get_by_label("Your reply")).to_have_value("Two weeks.")
    page.get_by_role("button", name="Keep mine").click()
    expect_message(page, "being sent")
    expect(page.locator(".thread-ours")).to_have_count(2)
    assert len(site.mails(sender.email)) == 2


def test_many_are_closed_at_once_and_what_was_closed_is_named(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    mark = f"Bulk {secrets.token_hex(4)}"
    some = [wrote(site, name=mark) for _ in range(3)]
    page = back_office(f"/admin/messages?q={mark.replace(' ', '+')}", role=Role.EDITOR)
    page.get_by_label(some[0].row).check()
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect_message(page, "Done: 1.")
    for enquiry in some:
        page.get_by_label(enquiry.row).check()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("dialog")).to_contain_text("Close 3 enquiries?")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_text(f"{some[0].reference}: it is closed already")).to_be_visible()
    assert {state_in(site, "enquiries", enquiry) for enquiry in some} == {"closed"}
    assert audited(site, some[1].reference) == ["enquiry.closed"]


def test_what_waits_is_counted_in_the_navigation(site: RunningSite, back_office: BackOfficeOpener) -> None:
    signed_up(site)
    page = back_office("/admin/signups", role=Role.VIEWER)
    ((counted,),) = site.rows("SELECT count(*) FROM enquiries WHERE kind = 'signup' AND state = 'new'")
    waiting = int(str(counted))
    menu = page.get_by_role("navigation", name="Back office")
    menu.get_by_role("link", name=f"Plan sign-ups: {waiting} waiting").click()
    expect(page.get_by_text(f"{waiting} total")).to_be_visible()
    expect(page.get_by_role("combobox", name="State")).to_have_value("new")
    # The count follows without any action.
    signed_up(site)
    expect(menu.get_by_role("link", name=f"Plan sign-ups: {waiting + 1} waiting")).to_be_visible()


def test_a_viewer_finds_no_action(site: RunningSite, back_office: BackOfficeOpener) -> None:
    page = back_office(file_of(wrote(site)), role=Role.FINANCE)
    expect(page.get_by_text("How much is it,")).to_be_visible()
    for button in ("Send reply", "Save note", "Close", "Mark as answered"):
        expect(page.get_by_role("button", name=button, exact=True)).to_have_count(0)


def test_without_a_reference_or_with_an_unknown_one_the_page_helps(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page = back_office("/admin/enquiry")
    page.get_by_role("link", name="All enquiries").click()
    expect(page.get_by_role("heading", name="Enquiries")).to_be_visible()
    page = back_office("/admin/enquiry?ref=EQ-UNKNOWN")
    expect(page.get_by_role("alert")).to_contain_text("There is no enquiry EQ-UNKNOWN.")
