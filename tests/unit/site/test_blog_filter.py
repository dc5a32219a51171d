"""The blog's filter knows its categories and tags and ignores everything else."""

import pytest

from agency_site.content.articles import ARTICLES, CATEGORY_COUNTS, popular_tags
from agency_site.site.blog_filter import address, articles_by_filter, category_key, parse_filter_key, tag_key

TAG = ARTICLES[0].tags[0]


@pytest.mark.parametrize(
    ("category", "tag", "key"),
    [
        ("Email Marketing", "", "category=Email Marketing"),
        ("email marketing", "", "category=Email Marketing"),
        ("", TAG, f"tag={TAG}"),
        ("Email Marketing", TAG, "category=Email Marketing"),
        ("Knitting", "", ""),
        ("", "Knitting", ""),
        ("", "", ""),
    ],
)
def test_an_address_means_a_known_filter_or_none(category: str, tag: str, key: str) -> None:
    assert parse_filter_key(category, tag) == key


def test_every_filter_of_the_sidebar_is_known() -> None:
    keys = [category_key(shelf) for shelf in CATEGORY_COUNTS] + [tag_key(tag) for tag in popular_tags()]
    assert set(keys) <= set(articles_by_filter())


def test_names_in_addresses_are_percent_encoded() -> None:
    assert address("category=Email Marketing") == "/blog?category=Email%20Marketing"
