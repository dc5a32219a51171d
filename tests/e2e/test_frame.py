"""The frame of every page: the sticky header, its menus, the footer, and error pages."""

import re

import pytest
from playwright.sync_api import Page, expect

from agency_site.content.brand import BRAND
from tests.e2e.conftest import PHONE, WIDE, Opener

PROFILES = ["LinkedIn", "Instagram", "Facebook", "X", "YouTube"]


def at_the_top(page: Page) -> bool:
    """Return whether the header is at the top of the window and can be clicked."""
    return bool(
        page.evaluate(
            """() => { const header = document.querySelector('body header'), box = header.getBoundingClientRect();
            const under = document.elementFromPoint(innerWidth / 2, box.height / 2);
            return Math.abs(box.top) < 1 && box.height > 40 && header.contains(under); }"""
        )
    )


@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_s2_the_header_stays_in_sight_while_the_page_scrolls(
    open_page: Opener, viewport: dict[str, int]
) -> None:
    page = open_page("/about", viewport=viewport)
    assert at_the_top(page)
    for share in (0.5, 1):
        page.evaluate(
            "share => scrollTo({top: document.body.scrollHeight * share, behavior: 'instant'})", share
        )
        assert page.evaluate("scrollY") > 500
        assert at_the_top(page)


@pytest.mark.parametrize("path", ["/", "/about", "/google-ads"])
@pytest.mark.parametrize("later", ["main .backdrop", ".menu > summary"])
def test_a_head_does_not_move_while_the_rest_of_it_arrives(open_page: Opener, path: str, later: str) -> None:
    page = open_page(path, viewport=PHONE, scripts=False)
    heading, menu = page.get_by_role("heading", level=1).first, page.locator(".menu")
    boxes = heading.bounding_box(), menu.bounding_box()
    page.locator(later).first.evaluate("one => one.remove()")
    assert (heading.bounding_box(), menu.bounding_box()) == boxes


def test_s2_resources_hold_the_blog_and_the_video_channel(open_page: Opener) -> None:
    page = open_page("/about", scripts=False)
    entries = page.locator("#resources-menu a")
    assert [link.get_attribute("href") for link in entries.all()] == [
        "/resources",
        "/blog",
        str(BRAND.video_channel),
    ]
    page.locator(".dropdown > summary").click()
    page.locator("#resources-menu").get_by_role("link", name="Blog", exact=True).click()
    expect(page).to_have_url(re.compile("/blog$"))
    phone = open_page("/about", scripts=False, viewport=PHONE)
    phone.locator(".menu > summary").click()
    submenu = phone.get_by_role("navigation", name="Menu").locator("details")
    submenu.locator("summary").click()
    expect(submenu.get_by_role("link", name="Blog", exact=True)).to_have_attribute("href", "/blog")
    expect(submenu.get_by_role("link", name=re.compile("^Video channel"))).to_be_visible()


def test_s2_the_footer_shows_profiles_address_phone_and_email(open_page: Opener) -> None:
    footer = open_page("/about", scripts=False).get_by_role("contentinfo")
    for name, profile in zip(PROFILES, BRAND.social, strict=True):
        link = footer.get_by_role("link", name=f"{name} (opens in a new tab)", exact=True)
        expect(link).to_be_visible()
        expect(link).to_have_attribute("href", str(profile.url))
        expect(link).to_have_attribute("target", "_blank")
    expect(footer.get_by_text("Karen, Nairobi")).to_be_visible()
    phone = footer.get_by_role("link", name=BRAND.phone)
    expect(phone).to_have_attribute("href", f"tel:{BRAND.phone_e164}")
    email = footer.get_by_role("link", name=BRAND.email)
    expect(email).to_have_attribute("href", f"mailto:{BRAND.email}")


def test_s2_the_capital_spelling_of_the_home_teaser_opens_its_article(open_page: Opener) -> None:
    page = open_page("/")
    teaser = page.locator("a[href='/Visual-blog']")
    title = teaser.inner_text()
    teaser.click()
    expect(page).to_have_url(re.compile("/visual-blog$"))
    assert page.get_by_role("heading", level=1).inner_text() in title
