"""Share addresses carry page and title, and survive the publishing of the site's own address."""

from urllib.parse import parse_qs, urlsplit

import pytest

from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.ui.article import Shared, share_targets, window_features

SHARED = Shared(
    url=f"{PLACEHOLDER_ORIGIN}/video-blog",
    title="Short & sharp: the first 3 seconds?",
    image=f"{PLACEHOLDER_ORIGIN}/share/video-blog.png",
    description="A pin's text",
    hashtags=("VideoMarketing", "ShortFormVideo"),
)


def query(network: str, shared: Shared = SHARED) -> dict[str, str]:
    _, href = share_targets(shared)[network]
    return {name: values[0] for name, values in parse_qs(urlsplit(href).query).items()}


def test_every_network_gets_the_page_and_the_title() -> None:
    assert query("x") == {
        "url": SHARED.url,
        "text": SHARED.title,
        "hashtags": "VideoMarketing,ShortFormVideo",
    }
    assert query("facebook") == {"u": SHARED.url, "quote": SHARED.title}
    assert query("linkedin") == {"mini": "true", "url": SHARED.url, "title": SHARED.title}
    assert query("pinterest") == {"url": SHARED.url, "media": SHARED.image, "description": "A pin's text"}


def test_pinterest_takes_the_title_where_no_description_is_given() -> None:
    plain = Shared(url=SHARED.url, title=SHARED.title, image=SHARED.image)
    assert query("pinterest", plain)["description"] == SHARED.title
    assert "hashtags" not in query("x", plain)


def test_the_sites_address_is_unescaped_so_that_publishing_finds_it() -> None:
    assert all(SHARED.url in href for _, href in share_targets(SHARED).values())


@pytest.mark.parametrize(
    ("size", "features"),
    [
        ("600x400", "popup,width=600,height=400"),
        ("626x436+100+50", "popup,width=626,height=436,top=50,left=100"),
    ],
)
def test_a_size_becomes_window_features(size: str, features: str) -> None:
    assert window_features(size) == features


def test_another_text_is_no_size() -> None:
    with pytest.raises(ValueError, match="no window size"):
        window_features("wide")
