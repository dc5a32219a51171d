"""Owners choose the channel of each notice, on a phone as on a desktop; a text message is measured while it is written."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.e2e.back_office.conftest import BackOfficeOpener
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import PHONE, RunningSite

pytestmark = pytest.mark.thorough

SCREEN, KIND = "/admin/notices", "Session reminder, one hour before"


@pytest.fixture(autouse=True)
def _usual_channels(site: RunningSite) -> Iterator[None]:
    yield
    with closing(site.connect()) as connection:
        connection.execute("DELETE FROM notice_channels")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_an_owner_chooses_a_channel_and_another_owner_sees_it(
    back_office: BackOfficeOpener, viewport: dict[str, int]
) -> None:
    page, other = back_office(SCREEN, viewport=viewport), back_office(SCREEN)
    channel = page.get_by_label(f"Channel: {KIND}")
    expect(channel).to_have_value("both")
    channel.select_option("E-mail")
    expect(page.get_by_role("status").filter(has_text=f"{KIND}: E-mail.")).to_be_visible()
    expect(other.get_by_label(f"Channel: {KIND}")).to_have_value("mail")
    page.reload()
    expect(page.get_by_label(f"Channel: {KIND}")).to_have_value("mail")
    expect_no_barriers(barriers(page))


def test_the_length_of_a_text_message_follows_what_is_typed(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/entry?kind=mail_text&slug=booking-reminder")
    field = page.get_by_role("textbox", name="Text message")
    expect(page.get_by_role("status").filter(has_text="characters with usual values: 1 SMS")).to_be_visible()
    field.fill("x" * 161)
    expect(
        page.get_by_role("status").filter(has_text="161 characters with usual values: 2 SMS")
    ).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("has 161 characters. Please shorten it")).to_be_visible()
    expect(field).to_have_value("x" * 161)
