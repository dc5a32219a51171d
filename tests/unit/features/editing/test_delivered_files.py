"""What staff have published becomes files and steps for developers."""

from pathlib import Path

import pytest

from agency_site.content.article_schema import PRODUCT, Article, Insight, Publication
from agency_site.content.articles import ARTICLES
from agency_site.content.courses import COURSES
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, Overlay
from agency_site.content.insights import INSIGHTS
from agency_site.content.markdown import read
from agency_site.content.partners import PARTNERS
from agency_site.content.webinars import WEBINARS
from agency_site.features.editing.entries.delivered_files import (
    FOLDERS,
    PLACES,
    DeliveredFiles,
    write_files,
    write_markdown,
)
from agency_site.features.editing.export import Export, store_files

FIRST = ARTICLES[0]
FIELDS = KINDS[Kind.ARTICLE].fields_of(FIRST)


@pytest.mark.parametrize("publication", [*ARTICLES, *INSIGHTS], ids=lambda publication: publication.slug)
def test_a_written_file_is_read_as_the_same_record(publication: Publication, tmp_path: Path) -> None:
    file = tmp_path / "articles" / f"{publication.slug}.md"
    file.parent.mkdir()
    file.write_text(write_markdown(publication), encoding="utf-8")
    shape = Article if isinstance(publication, Article) else Insight
    again: Publication = read(file, shape)
    assert again.model_copy(update={"source": publication.source}) == publication


def test_only_changed_publications_become_files() -> None:
    same = Overlay(Kind.ARTICLE, FIRST.slug, FIELDS)
    changed = Overlay(
        Kind.ARTICLE, ARTICLES[1].slug, KINDS[Kind.ARTICLE].fields_of(ARTICLES[1]) | {"title": 'A "new"'}
    )
    added = Overlay(
        Kind.ARTICLE, "fresh", {**FIELDS, "title": "Fresh", "featured": "", "address": "new-address"}
    )
    delivered = write_files((same, changed, added))
    assert set(delivered.files) == {ARTICLES[1].source, "articles/fresh.md"}
    assert 'title = "A \\"new\\""' in delivered.files[ARTICLES[1].source]
    assert 'address = "new-address"' in delivered.files["articles/fresh.md"]
    assert delivered.steps == []


def test_other_records_become_steps_with_their_place() -> None:
    course = COURSES[0]
    price = Overlay(Kind.COURSE, course.slug, KINDS[Kind.COURSE].fields_of(course) | {"price": "12345"})
    hidden = Overlay(Kind.PARTNER, "7", None)
    bar = Overlay(
        Kind.ANNOUNCEMENT, "closed", {"text": "Closed on 12 December", "shows_from": "2026-12-01T08:00"}
    )
    webinar = Overlay(Kind.WEBINAR, "fresh", KINDS[Kind.WEBINAR].fields_of(WEBINARS[0]) | {"title": "Fresh"})
    steps = write_files((price, hidden, bar, webinar)).steps
    assert "Remove 7 from PARTNERS in partners.py: it is hidden." in steps
    (course_step,) = [step for step in steps if course.slug in step]
    assert "its module in courses/" in course_step
    assert "payment_price=12345" in course_step
    (bar_step,) = [step for step in steps if "Announcement(" in step]
    assert "text='Closed on 12 December'" in bar_step
    (webinar_step,) = [step for step in steps if "Webinar(" in step]
    assert "title='Fresh'" in webinar_step
    assert "date=date(" in webinar_step


def test_uploaded_pictures_get_the_addresses_of_their_files() -> None:
    picture = "/pictures/0123456789abcdef/1600x900.jpg"
    fields = {**FIELDS, "image": f"{picture}#30,60", "text": f"![Tea]({picture})"}
    logo = Overlay(Kind.PARTNER, "7", KINDS[Kind.PARTNER].fields_of(PARTNERS[6]) | {"logo": picture})
    delivered = write_files([Overlay(Kind.ARTICLE, FIRST.slug, fields), logo])
    assert delivered.list_pictures() == [picture, f"{picture}#30,60"]
    saved = delivered.with_addresses(dict.fromkeys(delivered.list_pictures(), "/images/tea.webp"))
    assert 'image = "/images/tea.webp"' in saved.files[FIRST.source]
    assert "![Tea](/images/tea.webp)" in saved.files[FIRST.source]
    assert [step for step in saved.steps if "/images/tea.webp" in step]
    assert saved.list_pictures() == []


def test_the_name_of_the_product_stays_a_placeholder() -> None:
    article = next(article for article in ARTICLES if any(PRODUCT in hashtag for hashtag in article.hashtags))
    assert "{product}" in write_markdown(article)
    assert PRODUCT not in write_markdown(article).partition("+++\n\n")[0]


def test_the_file_of_a_hidden_article_is_removed() -> None:
    delivered = write_files(
        [Overlay(Kind.ARTICLE, FIRST.slug, None), Overlay(Kind.ARTICLE, "never-delivered", None)]
    )
    assert (delivered.removed, delivered.steps) == ([FIRST.source], [])


def test_every_kind_has_a_place() -> None:
    assert {*FOLDERS, *PLACES} == set(Kind)
    assert not set(FOLDERS) & set(PLACES)


def test_files_and_steps_are_stored_and_counted(tmp_path: Path) -> None:
    (tmp_path / "articles").mkdir()
    steps = tmp_path / "content-export.txt"
    (tmp_path / "images").mkdir()
    (tmp_path / "articles" / "gone.md").write_text("+++")
    delivered = DeliveredFiles({"articles/fresh.md": "+++"}, ["Do this."], ["articles/gone.md"])
    words = store_files(Export(delivered, {"/images/tea.webp": b"RIFF"}), tmp_path, tmp_path, steps)
    assert (tmp_path / "articles" / "fresh.md").read_text() == "+++"
    assert steps.read_text() == "Do this.\n\n"
    assert (tmp_path / "images" / "tea.webp").read_bytes() == b"RIFF"
    assert not (tmp_path / "articles" / "gone.md").exists()
    assert words == (
        "Files: 1\n  articles/fresh.md\nRemoved: 1\n  articles/gone.md\nPictures: 1\n  /images/tea.webp\n"
        "Steps by hand: 1, in content-export.txt"
    )
