"""The blog and the insights: rules for every piece, and what stops the start."""

import re
from pathlib import Path

import pytest

from agency_site import clock
from agency_site.content.article_schema import Article, Publication
from agency_site.content.articles import (
    ARTICLES,
    categories,
    list_filed_under,
    list_with_tag,
    popular_tags,
)
from agency_site.content.insights import INSIGHTS
from agency_site.content.markdown import ContentError, load, render
from agency_site.settings import ROOT

WORDS_A_MINUTE = (150, 280)
"""Slow and quick readers of screens; the stated read time must lie between them."""


def words(publication: Publication) -> int:
    body = (ROOT / "agency_site" / "content" / publication.source).read_text().split("+++")[2]
    return len(body.split())


@pytest.mark.parametrize("publication", [*ARTICLES, *INSIGHTS], ids=lambda publication: publication.slug)
def test_every_piece_has_substance_and_an_honest_read_time(publication: Publication) -> None:
    count = words(publication)
    slow, quick = WORDS_A_MINUTE
    assert publication.read_minutes * slow <= count <= publication.read_minutes * quick
    assert (600 <= count <= 900) if isinstance(publication, Article) else (350 <= count <= 500)
    assert len(publication.headings) >= 4
    assert publication.published <= clock.today()


@pytest.mark.parametrize("publication", [*ARTICLES, *INSIGHTS], ids=lambda publication: publication.slug)
def test_every_heading_id_is_in_the_text_and_follows_the_rule(publication: Publication) -> None:
    for heading in publication.headings:
        assert heading.id == re.sub(r"[^a-z0-9-]", "", heading.text.lower().replace(" ", "-"))
        assert f'<h2 id="{heading.id}">' in publication.html


def test_every_share_image_exists() -> None:
    names = [article.share_image for article in ARTICLES] + [insight.share_image for insight in INSIGHTS]
    assert [name for name in names if not (ROOT / "assets" / "share" / f"{name}.png").is_file()] == []


@pytest.mark.parametrize("publications", [ARTICLES, INSIGHTS], ids=["articles", "insights"])
def test_the_featured_piece_is_first_and_the_others_are_newest_first(
    publications: tuple[Publication, ...],
) -> None:
    first, *others = publications
    assert first.featured
    assert not any(publication.featured for publication in others)
    days = [publication.published for publication in others]
    assert days == sorted(days, reverse=True)


def test_pieces_have_their_paths() -> None:
    assert all(article.href == f"/{article.slug}" for article in ARTICLES)
    assert all(insight.href == f"/insights/{insight.slug}" for insight in INSIGHTS)


def test_categories_and_tags_find_their_articles() -> None:
    for article in ARTICLES:
        assert all(article in list_filed_under(category) for category in article.filed_under)
        assert all(article in list_with_tag(tag) for tag in article.tags)
    assert all(
        category in article.filed_under for category in categories() for article in list_filed_under(category)
    )
    assert list_filed_under("Knitting") == list_with_tag("Knitting") == ()
    assert all(list_with_tag(tag) for tag in popular_tags())


def test_html_in_the_text_is_shown_and_not_passed_on() -> None:
    html, _ = render('Hello <script>alert(1)</script> [x](javascript:alert(1))\n\n<img src="x" onerror="y">')
    assert "<script" not in html
    assert "<img" not in html
    assert "href" not in html


GOOD = (
    (ROOT / "agency_site/content/articles/video-blog.md")
    .read_text()
    .replace("featured = false", "featured = true")
)


def refused(folder: Path, *texts: str) -> str:
    for number, text in enumerate(texts):
        (folder / f"post-{number}.md").write_text(text)
    with pytest.raises(ContentError) as raised:
        load(folder, Article)
    return str(raised.value)


def test_a_valid_file_loads(tmp_path: Path) -> None:
    (tmp_path / "post.md").write_text(GOOD)
    assert [article.slug for article in load(tmp_path, Article)] == ["video-blog"]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('author = "admin"', 'author = "admin"\nauthour = "admin"', "authour"),
        ('category = "Video Marketing"', 'category = "Vidoe Marketing"', "category"),
        ('shelves = ["Video Marketing", "Social Media"]', 'shelves = ["Videos"]', "shelves"),
        ("read_minutes = 3", "read_minutes = 99", "read_minutes"),
        ('slug = "video-blog"', 'slug = "Video Blog"', "slug"),
        ('popup = "626x436+100+100"', 'popup = "big"', "share.popup"),
        ('author = "admin"', 'html = "<p>"', "html"),
        ("read_minutes = 3", "read_minutes = = 3", "front matter"),
        ("## Measure What Matters", "## Measure [What](bok) Matters", "bok"),
        ("## Measure What Matters", "<!-- Later -->", "<!-- Later -->"),
        ("featured = true", "featured = false", "featured"),
    ],
)
def test_what_does_not_fit_is_named_by_file_and_field(tmp_path: Path, old: str, new: str, field: str) -> None:
    assert old in GOOD
    message = refused(tmp_path, GOOD.replace(old, new))
    assert "post-0.md" in message
    assert field in message


def test_a_slug_is_unique_and_one_piece_is_featured(tmp_path: Path) -> None:
    assert "slug: 'video-blog'" in refused(tmp_path, GOOD, GOOD)
    other = GOOD.replace('slug = "video-blog"', 'slug = "other"')
    assert "post-1.md: featured" in refused(tmp_path, GOOD, other)
