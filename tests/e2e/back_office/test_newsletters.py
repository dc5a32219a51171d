"""Newsletter issues in the back office: written, previewed, tested, scheduled, sent."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, employ
from tests.e2e.back_office.senders import subscribed
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite

pytestmark = pytest.mark.thorough

TEXT = "## The queue\n\nPeople stop where *others* wait. [Book](/book)"


def title() -> str:
    return f"The queue {secrets.token_hex(4)}"


def write(page: Page, named: str, text: str = TEXT) -> None:
    form = page.get_by_role("form", name="Content")
    form.get_by_label("Title", exact=True).fill(named)
    form.get_by_label("Text", exact=True).fill(text)
    form.get_by_role("button", name="Save").click()


def saved(back_office: BackOfficeOpener, named: str, **options: object) -> Page:
    page = back_office("/admin/newsletter", **options)
    write(page, named)
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    return page


def reference_of(site: RunningSite, named: str) -> str:
    [(reference,)] = site.rows("SELECT reference FROM newsletter_issues WHERE title = ?", named)
    return str(reference)


def state_of(site: RunningSite, named: str) -> str:
    [(state,)] = site.rows("SELECT state FROM newsletter_issues WHERE title = ?", named)
    return str(state)


def test_an_editor_writes_an_issue_previews_it_and_sends_a_test(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    member, named = employ(site, Role.EDITOR), title()
    page = back_office("/admin/newsletters", member=member)
    page.get_by_role("link", name="New issue").click()
    write(page, "", "")
    expect(page.get_by_text("Please give the issue a title.").first).to_be_visible()
    write(page, named)
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(rf"id={reference_of(site, named)}$"))
    mail = page.frame_locator("iframe")
    expect(mail.get_by_role("heading", level=1)).to_have_text(named)
    expect(mail.get_by_role("link", name="Unsubscribe")).to_be_visible()
    page.get_by_role("button", name="Plain text").click()
    expect(page.locator("pre")).to_contain_text("People stop where others wait. Book (")
    page.get_by_role("button", name="Page", exact=True).click()
    expect(page.frame_locator("iframe").get_by_role("heading", name="The queue", exact=True)).to_be_visible()
    page.get_by_role("button", name="Send me a test").click()
    expect(page.get_by_text(f"A test is being sent to {member.email}.")).to_be_visible()
    assert [(kind, subject) for kind, subject, _ in site.mails(member.email)] == [
        ("newsletter-test", f"[Test] {named}")
    ]
    expect_no_barriers(barriers(page))


def test_an_issue_with_unsaved_changes_cannot_be_scheduled(back_office: BackOfficeOpener) -> None:
    page = saved(back_office, title())
    schedule = page.get_by_role("button", name="Schedule", exact=True)
    expect(schedule).to_be_enabled()
    page.get_by_label("Summary").fill("One more thing")
    expect(schedule).to_be_disabled()
    expect(page.get_by_text("Not saved yet")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(schedule).to_be_enabled()
    expect(page.get_by_label("Summary")).to_have_value("One more thing")


def test_an_issue_is_scheduled_for_wednesday_and_unscheduled(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    named = title()
    page = saved(back_office, named)
    expect(page.get_by_label("Day and time in Nairobi")).to_have_value(re.compile(r"T07:00$"))
    page.get_by_role("button", name="Schedule", exact=True).click()
    expect(page.get_by_text(re.compile(r"Scheduled for Wed .*, 07:00, Nairobi time\."))).to_be_visible()
    assert state_of(site, named) == "scheduled"
    page.get_by_role("button", name="Unschedule").click()
    expect(page.get_by_role("button", name="Schedule", exact=True)).to_be_visible()
    assert state_of(site, named) == "draft"


def test_the_second_of_two_editors_chooses_a_version(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    named = title()
    first = saved(back_office, named)
    address = f"/admin/newsletter?id={reference_of(site, named)}"
    second = back_office(address, role=Role.EDITOR)
    second.get_by_label("Summary").fill("Typed by the second")
    first.get_by_label("Summary").fill("Typed by the first")
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_text("Saved.", exact=True)).to_be_visible()
    expect(second.get_by_text("has changed this draft since you opened it")).to_be_visible()
    second.get_by_role("button", name="Save").click()
    panel = second.get_by_role("alert").filter(has_text="Another person changed this record")
    expect(panel).to_contain_text("Typed by the first")
    expect(panel).to_contain_text("Typed by the second")
    panel.get_by_role("button", name="Keep mine").click()
    expect(second.get_by_text("Saved.", exact=True)).to_be_visible()
    assert site.rows("SELECT summary FROM newsletter_issues WHERE title = ?", named) == [
        ("Typed by the second",)
    ]


def test_an_issue_is_sent_its_progress_is_shown_and_it_is_published(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    named, readers = title(), [subscribed(site) for _ in range(3)]
    page = saved(back_office, named)
    page.get_by_role("button", name="Send now").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert state_of(site, named) == "draft"
    page.get_by_role("button", name="Send now").click()
    page.get_by_role("dialog").get_by_role("button", name="Send now").click()
    expect(page.get_by_role("heading", name="Sent", exact=True)).to_be_visible(timeout=30_000)
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "100")
    for reader in readers:
        assert [kind for kind, _, _ in site.mails(reader.email)] == ["newsletter-issue"]
    public = open_page("/newsletter")
    expect(public.get_by_role("heading", name=named)).to_be_visible()
    public.get_by_role("heading", name=named).click()
    public.get_by_role("link", name="Read the whole issue").first.click()
    expect(public.get_by_role("heading", level=1)).to_have_text(named)


def test_a_viewer_writes_no_issues(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin", role=Role.VIEWER)
    expect(page.get_by_role("link", name="Newsletters")).to_have_count(0)
