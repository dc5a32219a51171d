"""The blog's filter knows its categories and tags and ignores everything else."""

import pytest

from agency_site.content.articles import SHELVES, popular_tags
from agency_site.site.blog_filter import FOUND, address, category_key, known_key, tag_key


@pytest.mark.parametrize(
    ("category", "tag", "key"),
    [
        ("Email Marketing", "", "category=Email Marketing"),
        ("email marketing", "", "category=Email Marketing"),
        ("", "Reels", "tag=Reels"),
        ("Email Marketing", "Reels", "category=Email Marketing"),
        ("Knitting", "", ""),
        ("", "Knitting", ""),
        ("", "", ""),
    ],
)
def test_an_address_means_a_known_filter_or_none(category: str, tag: str, key: str) -> None:
    assert known_key(category, tag) == key


def test_everything_that_the_sidebar_links_to_is_known() -> None:
    keys = [category_key(shelf) for shelf in SHELVES] + [tag_key(tag) for tag in popular_tags()]
    assert set(keys) <= set(FOUND)


def test_an_address_carries_the_name_safely() -> None:
    assert address("category=Email Marketing") == "/blog?category=Email%20Marketing"
