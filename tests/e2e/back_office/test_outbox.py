"""Outgoing mail in the back office: sent and failed messages, and resending."""

import re
from contextlib import closing
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.buyers import Buyer, buyer
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def message_of(site: RunningSite, order: Buyer) -> int:
    ((identity,),) = site.rows(
        'SELECT id FROM outbox_messages WHERE "to" = ? ORDER BY id LIMIT 1', order.email
    )
    return int(str(identity))


def fail(site: RunningSite, identity: int) -> None:
    """Store what delivery stores if the address does not exist."""
    with closing(site.connect()) as connection:
        connection.execute(
            "UPDATE outbox_messages SET state = 'failed', failure = 'refused', attempts = 1,"
            " last_error = '550 5.1.1 User unknown', created_at = ? WHERE id = ?",
            (f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}", identity),
        )


def test_a_message_is_shown_as_its_recipient_sees_it(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    page = back_office("/admin/mail", role=Role.FRONT_DESK)
    page.get_by_label("Search this list").fill(order.email)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("1 total")).to_be_visible()
    page.get_by_role("link", name=order.email).click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Your place is booked")).to_be_visible()
    expect(frame.get_by_text(order.reference).first).to_be_visible()
    expect(page.get_by_title("Preview of the message")).to_have_attribute("sandbox", "")
    page.get_by_text("Plain text version").click()
    expect(page.get_by_role("region", name="Plain text")).to_contain_text("Hello Naliaka,")
    expect(page.get_by_text("Message-ID")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name=f"receipt-{order.reference}.pdf").click()
    assert download.value.path().read_bytes().startswith(b"%PDF-")
    page.get_by_role("link", name=order.reference, exact=True).click()
    expect(page.get_by_role("heading", name="Naliaka Barasa")).to_be_visible()


def test_a_failed_message_says_why_waits_and_is_sent_again(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    identity = message_of(site, order)
    page = back_office(f"/admin/message?id={identity}", role=Role.FINANCE)
    fail(site, identity)
    expect(page.get_by_text("550 5.1.1 User unknown")).to_be_visible()
    expect(page.get_by_text("Rejected by the mail server")).to_be_visible()
    page.reload()
    menu = page.get_by_role("navigation", name="Back office")
    waiting = menu.get_by_role("link", name=re.compile(r"^Mail: \d+ waiting$"))
    expect(waiting).to_have_attribute("href", "/admin/mail?state=waiting")
    before = waiting.inner_text()
    page.get_by_role("button", name="Resend").click()
    expect(page.get_by_role("status").filter(has_text="Message resent")).to_be_visible()
    expect(waiting.filter(has_text=before)).to_have_count(0)
    assert [kind for kind, *_ in site.mails(order.email)] == ["enrolment-confirmed"] * 2
    assert audited(site, str(identity)) == ["mail.resent"]
    page.get_by_role("button", name="Resend").click()
    expect(page.get_by_role("alert").filter(has_text="less than a minute ago")).to_be_visible()


def test_the_new_message_names_the_one_that_it_repeats(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    page = back_office(f"/admin/message?id={message_of(site, order)}")
    page.get_by_role("button", name="Resend").click()
    page.get_by_role("link", name="A later message").click()
    earlier = page.get_by_role("link", name="an earlier message")
    expect(earlier).to_have_attribute("href", f"/admin/message?id={message_of(site, order)}")


def test_several_are_sent_again_from_the_list(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order, other = buyer(site), buyer(site)
    fail(site, message_of(site, order))
    page = back_office("/admin/mail?state=failed", role=Role.FRONT_DESK)
    page.get_by_label(f"Select {message_of(site, order)}", exact=True).check()
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("dialog").get_by_role("button", name="Resend").click()
    expect(page.get_by_role("status").filter(has_text="Done: 1.")).to_be_visible()
    assert len(site.mails(order.email)) == 2
    assert len(site.mails(other.email)) == 1


@pytest.mark.parametrize("width", [1280, 390])
def test_all_failed_mails_are_sent_again_after_saying_how_many(
    site: RunningSite, back_office: BackOfficeOpener, width: int
) -> None:
    order = buyer(site)
    fail(site, message_of(site, order))
    page = back_office("/admin/mail", role=Role.FRONT_DESK)
    page.set_viewport_size({"width": width, "height": 800})
    expect(page.get_by_text(re.compile(r"^\d+ mails? not delivered\."))).to_be_visible()
    page.get_by_role("button", name="Resend all …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name=re.compile(r"^Resend \d+ mails?\?$"))).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    assert len(site.mails(order.email)) == 1
    page.get_by_role("button", name="Resend all …").click()
    dialog.get_by_role("button", name="Resend all", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="queued again.")).to_be_visible()
    assert len(site.mails(order.email)) == 2
    assert audited(site, str(message_of(site, order))) == ["mail.resent"]
    expect(page.get_by_role("button", name="Resend all …")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("identity", ["0", "999999999", "99999999999999", "x"])
def test_an_unknown_id_is_reported(back_office: BackOfficeOpener, identity: str) -> None:
    page = back_office(f"/admin/message?id={identity}")
    expect(page.get_by_role("alert")).to_contain_text("This message does not exist.")


def test_without_an_id_the_page_leads_to_the_list(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/message")
    expect(page.get_by_text("No mail selected. Choose one from the list.")).to_be_visible()
    expect(page.get_by_role("link", name="All mails")).to_be_visible()


def test_a_viewer_sees_no_mail(site: RunningSite, back_office: BackOfficeOpener) -> None:
    order = buyer(site)
    page = back_office(order.file, role=Role.VIEWER)
    expect(page.get_by_role("heading", name="Contact")).to_be_visible()
    expect(page.get_by_role("heading", name="Mails about it")).to_have_count(0)
    expect(page.get_by_text("You are enrolled")).to_have_count(0)
