"""Pages: unique paths, titles and descriptions; existing share images; states that give nothing away."""

from agency_site.booking.page import ROUTES as BOOKING
from agency_site.checkout.page import ROUTES as CHECKOUT
from agency_site.comments.thread import OPEN, comment_count, comment_section
from agency_site.enquiries.page import ROUTES as ENQUIRIES
from agency_site.layout.head import page_meta, page_title
from agency_site.layout.route import Route
from agency_site.newsletter.page import ROUTES as NEWSLETTER
from agency_site.newsletter.view import newsletter_box
from agency_site.pages import pages
from agency_site.pages.parts import Parts
from agency_site.settings import PLACEHOLDER_ORIGIN, ROOT

PARTS = Parts(newsletter_box, comment_count, comment_section, open_comments=OPEN)
ROUTES: tuple[Route, ...] = (*pages(PARTS), *BOOKING, *CHECKOUT, *ENQUIRIES, *NEWSLETTER)
PUBLIC = [route for route in ROUTES if not route.private]
INDEXED = [route for route in PUBLIC if not route.dynamic]
"""What search engines may show."""


def test_paths_are_unique_lower_case_and_without_a_trailing_slash() -> None:
    paths = [route.path for route in ROUTES]
    assert len(set(paths)) == len(paths)
    assert [path for path in paths if path != path.lower() or (path != "/" and path.endswith("/"))] == []


def test_titles_and_descriptions_are_unique_and_fit_a_search_result() -> None:
    assert len({page_title(route) for route in INDEXED}) == len(INDEXED)
    assert len({route.description for route in INDEXED}) == len(INDEXED)
    assert [route.path for route in INDEXED if not 50 <= len(route.description) <= 160] == []
    assert [route.path for route in INDEXED if len(route.title) > 62] == []


def test_every_public_page_has_a_share_picture() -> None:
    missing = [r.path for r in PUBLIC if not (ROOT / "assets" / "share" / f"{r.share_image}.png").exists()]
    assert missing == []


def test_private_pages_are_not_indexed_and_public_ones_have_an_address() -> None:
    for route in ROUTES:
        meta = page_meta(route)
        robots = {"name": "robots", "content": "noindex, nofollow"} in meta
        assert robots == (route.private or route.dynamic)
        if not robots:
            assert {
                "property": "og:url",
                "content": PLACEHOLDER_ORIGIN + (route.canonical or route.path),
            } in meta


def test_the_pages_of_every_slice_are_looked_at() -> None:
    assert {"/book", "/payment", "/contact", "/newsletter", "/signup/[plan]"} <= {
        route.path for route in PUBLIC
    }
