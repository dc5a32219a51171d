"""The blog and the insights: the specification's facts, and what stops the start."""

from pathlib import Path

import pytest

from agency_site import clock
from agency_site.content.article_schema import Article, Contents, Publication, SidebarCategory
from agency_site.content.articles import (
    ARTICLES,
    CATEGORY_COUNTS,
    list_filed_under,
    list_with_tag,
    popular_tags,
)
from agency_site.content.brand import BRAND
from agency_site.content.insights import INSIGHTS
from agency_site.content.markdown import ContentError, load, render
from agency_site.settings import ROOT

BY_SLUG = {article.slug: article for article in ARTICLES}
WORDS_A_MINUTE = (150, 280)
"""Slow and quick readers of screens; the stated read time must lie between them."""


def words(publication: Publication) -> int:
    body = (ROOT / "agency_site" / "content" / publication.source).read_text().split("+++")[2]
    return len(body.split())


def test_the_blog_holds_the_five_articles_of_the_specification_featured_first() -> None:
    assert [article.href for article in ARTICLES] == [
        "/digitalmarketing-blog", "/visual-blog", "/email-marketing-blog", "/video-blog", "/authenticity-blog",
    ]  # fmt: skip
    assert [article.featured for article in ARTICLES] == [True, False, False, False, False]


@pytest.mark.parametrize(
    ("slug", "line", "minutes", "category"),
    [
        ("email-marketing-blog", "April 26, 2025", "4 min read", "Email Marketing"),
        ("video-blog", "March 20, 2025", "3 min read", "Video Marketing"),
        ("authenticity-blog", "February 26, 2025", "4 min read", "Storytelling"),
    ],
)
def test_dates_read_times_and_categories_are_the_specifications(
    slug: str, line: str, minutes: str, category: str
) -> None:
    article = BY_SLUG[slug]
    assert (article.date_line, article.read_time, article.category) == (line, minutes, category)


def test_two_articles_are_by_admin() -> None:
    assert [slug for slug, article in BY_SLUG.items() if article.author == "admin"] == [
        "video-blog", "authenticity-blog",
    ]  # fmt: skip


def test_the_sidebar_counts_are_the_specifications() -> None:
    assert {str(category): count for category, count in CATEGORY_COUNTS.items()} == {
        "Digital Strategy": 12, "Content Creation": 8, "Email Marketing": 15,
        "Social Media": 22, "Video Marketing": 7, "Analytics": 9,
    }  # fmt: skip


def test_share_windows_hashtags_and_contents_differ_as_specified() -> None:
    email, video, honest = (BY_SLUG[f"{name}-blog"] for name in ("email-marketing", "video", "authenticity"))
    assert set(email.share.popups.values()) == {"550x420", "600x500", "750x600"}
    assert email.next is not None
    assert email.next.title == "So, What's Next?"
    assert email.contents is Contents.LISTED
    assert video.share.popup == "626x436+100+100"
    assert video.share.hashtags == ("VideoMarketing", "ShortFormVideo", "DigitalMarketing")
    assert video.contents is Contents.FOLDING
    assert honest.share.popup == "600x400"
    assert honest.share.pin_description
    assert honest.hashtags == (
        "AuthenticMarketing", "BrandStorytelling", "BehindTheScenesMarketing", "EmotionalConnectionMarketing",
        "UserGeneratedContent", BRAND.name.replace(" ", ""),
    )  # fmt: skip


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
        assert heading.id == heading.text.lower().replace(" ", "-")
        assert f'<h2 id="{heading.id}">' in publication.html


def test_every_share_image_exists() -> None:
    names = [article.share_image for article in ARTICLES] + [insight.share_image for insight in INSIGHTS]
    assert [name for name in names if not (ROOT / "assets" / "share" / f"{name}.png").is_file()] == []


def test_six_insights_of_which_the_first_is_featured() -> None:
    assert [insight.featured for insight in INSIGHTS] == [True, *[False] * 5]
    assert all(insight.href == f"/insights/{insight.slug}" for insight in INSIGHTS)


def test_categories_and_tags_find_their_articles() -> None:
    assert list_filed_under("Email Marketing") == (BY_SLUG["email-marketing-blog"],)
    assert list_filed_under("Storytelling") == (BY_SLUG["authenticity-blog"],)
    assert list_filed_under(SidebarCategory.ANALYTICS) == ()
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
        ("read_minutes = 3", "read_minutes = 9", "read_minutes"),
        ('slug = "video-blog"', 'slug = "Video Blog"', "slug"),
        ('popup = "626x436+100+100"', 'popup = "big"', "share.popup"),
        ('author = "admin"', 'html = "<p>"', "html"),
        ("read_minutes = 3", "read_minutes = = 3", "front matter"),
        ("## Measure What Matters", "## Why Short Video Works", "Why Short Video Works"),
        ("## Measure What Matters", "## Comments", "Comments"),
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
