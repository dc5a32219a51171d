"""The frame of every page: the sticky header, its menus, the footer, and error pages."""

import pytest
from playwright.sync_api import Page

from agency_site.content.brand import BRAND
from tests.e2e.conftest import PHONE, WIDE, Opener, PageReader
from tests.example_records import PAID_COURSE

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


@pytest.mark.parametrize("path", ["/", "/about", f"/{PAID_COURSE.slug}"])
@pytest.mark.parametrize("later", ["main .backdrop", ".menu > summary"])
def test_a_head_does_not_move_while_the_rest_of_it_arrives(open_page: Opener, path: str, later: str) -> None:
    page = open_page(path, viewport=PHONE, scripts=False)
    heading, menu = page.get_by_role("heading", level=1).first, page.locator(".menu")
    boxes = heading.bounding_box(), menu.bounding_box()
    page.locator(later).first.evaluate("one => one.remove()")
    assert (heading.bounding_box(), menu.bounding_box()) == boxes


def test_s2_resources_hold_the_blog_and_the_video_channel(read_page: PageReader) -> None:
    page = read_page("/about")
    for menu in (page.select("#resources-menu"), page.select('nav[aria-label="Menu"] details')):
        assert [link["href"] for link in menu.get_all_by_role("link")] == [
            "/resources",
            "/blog",
            str(BRAND.video_channel),
        ]


def test_s2_the_footer_shows_profiles_address_phone_and_email(read_page: PageReader) -> None:
    footer = read_page("/about").get_by_role("contentinfo")
    for name, profile in zip(PROFILES, BRAND.social, strict=True):
        link = footer.get_by_role("link", f"{name} (opens in a new tab)")
        assert link["href"] == str(profile.url)
        assert link["target"] == "_blank"
    assert "Karen, Nairobi" in footer.text
    assert footer.get_by_role("link", BRAND.phone)["href"] == f"tel:{BRAND.phone_e164}"
    assert footer.get_by_role("link", BRAND.email)["href"] == f"mailto:{BRAND.email}"


@pytest.mark.specification
def test_s2_the_capital_spelling_of_the_home_teaser_opens_its_article(read_page: PageReader) -> None:
    teaser = read_page("/").select("a[href='/Visual-blog']")
    article = read_page(teaser["href"])
    assert article.select("link[rel=canonical]")["href"].endswith("/visual-blog")
    assert article.get_by_role("heading", level=1).text in teaser.text
