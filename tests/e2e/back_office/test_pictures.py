"""A picture of the library: described at once, cropped by a click, deleted."""

import re

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, card, click_button, expect_message
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.pictures import photo

pytestmark = pytest.mark.thorough


def test_an_uploaded_picture_is_described_cropped_and_deleted(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/pictures", role=Role.EDITOR, viewport=DESKTOP, reduced_motion="reduce")
    photograph = photo((900, 500))
    page.locator("#upload-picture").set_input_files(
        {"name": "kiosk.jpg", "mimeType": "image/jpeg", "buffer": photograph}
    )
    click_button(page, "Upload")
    page.wait_for_url(re.compile(r"/admin/picture\?id=\d+$"))
    description = page.get_by_label("Description", exact=True)
    expect(description).to_be_focused()
    image = page.locator(".picture-focus img")
    expect(image).to_have_js_property("naturalWidth", 900)
    box = image.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.25)
    expect(page.get_by_label("From the left, in %")).to_have_value("80")
    expect(page.get_by_label("From the top, in %")).to_have_value("25")
    click_button(page, "Save")
    expect(page.get_by_text("Describe what the picture shows").first).to_be_visible()
    description.fill("The kiosk at dusk")
    expect_no_barriers(barriers(page))
    click_button(page, "Save")
    expect_message(page, "Saved.")
    expect(page.get_by_text("80 % from the left, 25 % from the top")).to_be_visible()
    expect(page.get_by_role("img", name="The kiosk at dusk")).to_be_visible()
    expect(card(page, "Used in")).to_contain_text("Not used anywhere.")
    click_button(page, "Delete")
    click_button(page.get_by_role("dialog", name="Delete this picture?"), "Delete picture")
    page.wait_for_url(re.compile(r"/admin/pictures$"))
