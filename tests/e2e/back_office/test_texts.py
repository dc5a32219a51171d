"""Staff send text messages, open WhatsApp and copy private links."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.buyers import buyer
from tests.e2e.back_office.clients import Client, client
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, click_button, expect_message
from tests.e2e.back_office.senders import registered
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite

pytestmark = pytest.mark.thorough
CLIPBOARD = ["clipboard-read", "clipboard-write"]


def count_texts(site: RunningSite, about: str) -> int:
    ((count,),) = site.rows(
        "SELECT count(*) FROM sms_messages WHERE about = ? AND kind = 'from-staff'", about
    )
    return int(str(count))


def write(page: Page, text: str) -> None:
    """Open the dialog and replace the text of the first template."""
    click_button(page, "Send a message")
    box = page.get_by_role("dialog").get_by_label("Text", exact=True)
    expect(box).not_to_have_value("")
    box.fill(text)


@pytest.mark.parametrize("width", [1280, 390])
def test_an_sms_about_a_booking_is_in_the_list_and_in_the_outbox(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener, width: int
) -> None:
    booking = client(site)
    page = back_office(booking.file, role=Role.FRONT_DESK)
    page.set_viewport_size({"width": width, "height": 800})
    text = f"Please bring your logo to {booking.reference}."
    write(page, text)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"To {booking.name}, 0712 345 678")
    expect(dialog).to_contain_text(f"{len(text)} characters, {160 - len(text)} left in 1 message, KES")
    expect_no_barriers(barriers(page))
    click_button(dialog, "Send SMS")
    expect_message(page, re.compile("The text message is being sent|Quiet hours"))
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert count_texts(site, booking.reference) == 1
    assert audited(site, booking.reference) == ["link.copied"]
    page.goto(f"/admin/texts?q={booking.reference}")
    page.get_by_role("link", name="0712 345 678").first.click()
    expect(page.get_by_role("region", name="Text", exact=True)).to_have_text(text)
    expect(page.get_by_role("link", name=booking.reference, exact=True)).to_be_visible()
    outbox = open_page("/outbox")
    expect(outbox.get_by_text(text).first).to_be_visible()


def test_a_template_is_sent_with_a_short_link_that_opens_the_booking(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    click_button(page, "Send a message")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Text", exact=True)).to_have_value(re.compile(r"\{link\}$"))
    click_button(dialog, "Send SMS")
    expect_message(page, re.compile("The text message is being sent|Quiet hours"))
    ((identity,),) = site.rows(
        "SELECT id FROM sms_messages WHERE about = ? AND kind = 'from-staff'", booking.reference
    )
    page.goto(f"/admin/text?id={identity}")
    expect(page.get_by_role("region", name="Text", exact=True)).to_contain_text("[hidden link]")
    assert audited(site, str(identity)) == ["text.sent"]


def test_the_whatsapp_link_has_the_typed_text_with_the_private_link(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    write(page, "Karibu & welcome + see {link}")
    link = page.get_by_role("link", name="Open WhatsApp")
    link.focus()
    expect(link).to_have_attribute(
        "href", re.compile(r"^https://wa\.me/254712345678\?text=Karibu%20%26%20welcome%20%2B%20see")
    )
    expect(link).to_have_attribute("target", "_blank")
    (text,) = parse_qs(urlsplit(link.get_attribute("href") or "").query)["text"]
    private = text.rpartition(" ")[2]
    assert private.startswith(f"{site.url}/booking/")
    visitor = open_page(private)
    expect(visitor.get_by_text(booking.reference).first).to_be_visible()


def copied(page: Page) -> str:
    """Copy the private link that is open in a dialog, and return the clipboard."""
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_label("Private link")
    expect(field).to_be_focused()
    click_button(dialog, "Copy")
    expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
    link = str(page.evaluate("navigator.clipboard.readText()"))
    expect(field).to_have_value(link)
    return link


def test_the_private_link_of_a_booking_is_copied_with_one_click_in_the_dialog(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file, permissions=CLIPBOARD)
    click_button(page, "Copy link")
    link = copied(page)
    assert audited(site, booking.reference) == ["link.copied"]
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto(link)
    expect(page.get_by_text(booking.reference).first).to_be_visible()


def test_the_links_of_an_order_and_its_learner_are_copied(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    paying = buyer(site)
    ((learner,),) = site.rows("SELECT reference FROM learners WHERE email = ?", paying.email)
    page = back_office(paying.file, permissions=CLIPBOARD)
    for path, part in ((paying.file, "/order/"), (f"/admin/learner?ref={learner}", "/learner/")):
        page.goto(path)
        click_button(page, "Copy link")
        assert copied(page).startswith(f"{site.url}{part}")


def test_a_registration_that_the_list_shows_alone_has_its_link_unless_it_is_lost(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    reference = registered(site).reference
    page = back_office(f"/admin/registrations?q={reference}")
    # Its key is not the site's, so the link cannot be computed.
    click_button(page, "Copy link")
    expect(page.get_by_role("alert").filter(has_text="This record has no private link.")).to_be_visible()


def test_viewers_see_a_booking_without_its_link(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking: Client = client(site)
    page = back_office(booking.file, role=Role.VIEWER)
    expect(page.get_by_role("heading", name=booking.name)).to_be_visible()
    for name in ("Send a message", "Copy link"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)


def test_a_template_of_the_clients_page_and_an_unsaved_text_that_is_back(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(f"/admin/client?list=bookings&ref={booking.reference}")
    click_button(page, "Send a message")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Template").select_option("We tried to call")
    box = dialog.get_by_label("Text", exact=True)
    expect(box).to_have_value(re.compile("we tried to call you"))
    box.fill("Half a text")
    again = page.context.new_page()
    again.goto(page.url)
    click_button(again, "Send a message")
    expect(again.get_by_role("dialog").get_by_label("Text", exact=True)).to_have_value("Half a text")
    click_button(again.get_by_role("dialog"), "Cancel")
    expect(again.get_by_role("dialog")).to_have_count(0)
