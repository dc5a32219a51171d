"""Pages: unique paths, titles and descriptions; existing share images; states that give nothing away."""

from dataclasses import replace

import pytest

from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.insights import INSIGHTS
from agency_site.content.share_pictures import SHARE_PICTURES, describe_share_picture, share_address
from agency_site.features.booking.page import booking_route
from agency_site.features.checkout.page import ROUTES as CHECKOUT
from agency_site.features.comments.view import comment_count, comment_regions, comment_section
from agency_site.features.contact.page import enquiry_routes
from agency_site.features.newsletter.page import ROUTES as NEWSLETTER
from agency_site.features.newsletter.view import newsletter_box
from agency_site.features.webinars.page import webinar_routes
from agency_site.settings import PLACEHOLDER_ORIGIN, ROOT
from agency_site.site import pages
from agency_site.site.feature_elements import Parts
from agency_site.site.layout.head import TITLE_LENGTH, page_meta, page_title
from agency_site.site.layout.route import Route

PARTS = Parts(newsletter_box, comment_count, comment_section, comment_regions)
ROUTES: tuple[Route, ...] = (
    *pages(PARTS),
    booking_route(),
    *CHECKOUT,
    *enquiry_routes(),
    *NEWSLETTER,
    *webinar_routes(),
)
PUBLIC = [route for route in ROUTES if not route.private]
INDEXED = [route for route in PUBLIC if not route.dynamic]
"""Public pages."""


def test_paths_are_unique_lower_case_and_without_a_trailing_slash() -> None:
    paths = [route.path for route in ROUTES]
    assert len(set(paths)) == len(paths)
    assert [path for path in paths if path != path.lower() or (path != "/" and path.endswith("/"))] == []


def test_titles_and_descriptions_are_unique_and_fit_a_search_result() -> None:
    assert len({page_title(route) for route in INDEXED}) == len(INDEXED)
    assert len({route.description for route in INDEXED}) == len(INDEXED)
    assert [route.path for route in INDEXED if not 50 <= len(route.description) <= 160] == []
    assert [route.path for route in INDEXED if len(page_title(route)) > TITLE_LENGTH] == []


def test_a_title_carries_the_brand_where_there_is_room() -> None:
    without = [route for route in INDEXED if BRAND.name not in page_title(route)]
    assert [route.path for route in without if len(f"{route.title} | {BRAND.name}") <= TITLE_LENGTH] == []
    assert len(without) < len(INDEXED) / 8


def test_every_page_has_a_share_picture_that_no_other_page_shows() -> None:
    pictures = [share_address(route.share_image) for route in INDEXED]
    assert len(set(pictures)) == len(pictures)
    assert [path for path in pictures if not (ROOT / f"assets{path}").exists()] == [], "run `make art`"
    assert {route.share_image for route in INDEXED} >= set(SHARE_PICTURES)


def test_a_page_without_a_share_picture_of_its_own_shows_that_of_the_home_page(
    caplog: pytest.LogCaptureFixture,
) -> None:
    route = replace(INDEXED[1], share_image="no picture")
    said = tags(route)
    assert said["twitter:image"] == [f"{PLACEHOLDER_ORIGIN}/share/home.png"]
    assert said["og:image:alt"] == [SHARE_PICTURES["home"].alt]
    assert "add 'no picture' to PAGES of content/share_pictures.py" in caplog.text


def tags(route: Route) -> dict[str, list[str]]:
    """Return the values in the head by name of the tag; some tags occur several times."""
    results: dict[str, list[str]] = {}
    for tag in page_meta(route):
        if isinstance(tag, dict):
            results.setdefault(tag.get("property") or tag["name"], []).append(tag["content"])
    return results


def test_messengers_read_title_description_picture_and_what_it_shows() -> None:
    for route in INDEXED:
        said = tags(route)
        assert (said["og:title"], said["og:description"]) == ([route.title], [route.description])
        assert (said["twitter:title"], said["twitter:description"]) == ([route.title], [route.description])
        assert (
            said["og:image:alt"]
            == said["twitter:image:alt"]
            == [describe_share_picture(route.share_image)[1] or route.title]
        )
        assert said["twitter:image"] == [PLACEHOLDER_ORIGIN + share_address(route.share_image)]
        assert (said["og:locale"], said["og:site_name"]) == (["en_KE"], [BRAND.name])
        assert (said["og:image:width"], said["og:image:height"]) == (["1200"], ["630"])


def test_articles_give_messengers_their_day_section_and_tags() -> None:
    articles = [route for route in INDEXED if route.publication]
    assert len(articles) == len(ARTICLES) + len(INSIGHTS)
    for route in INDEXED:
        said = tags(route)
        assert said["og:type"] == ["article" if route.publication else "website"]
        assert ("article:published_time" in said) == (route.publication is not None)
        if route.publication:
            assert said["article:published_time"] == [route.publication.published.isoformat()]
            assert said["article:modified_time"] == [route.publication.changed.isoformat()]
            assert tuple(said["article:tag"]) == route.publication.keywords


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


def test_the_pages_of_every_feature_are_checked() -> None:
    assert {"/book", "/payment", "/contact", "/newsletter", "/signup/starter"} <= {
        route.path for route in PUBLIC
    }
