"""Records of the home page."""

import pytest
from pydantic import ValidationError

from agency_site.content.articles import ARTICLES
from agency_site.content.hero import HERO
from agency_site.content.impact import LEFT_OUT, STATS, ImpactStat, list_shown
from agency_site.content.portfolio import PORTFOLIO
from agency_site.content.schema import HeroSlide
from agency_site.content.teasers import featured, smaller, teasers


@pytest.mark.parametrize("slide", HERO, ids=lambda slide: slide.id)
def test_s4_the_accent_of_a_slide_is_part_of_its_title(slide: HeroSlide) -> None:
    assert slide.accent
    assert slide.accent in slide.title


def test_s8_an_empty_category_says_that_its_projects_are_being_prepared() -> None:
    empty = PORTFOLIO[0].model_copy(update={"category": "Weaving", "id": "weaving"})

    assert empty.empty_text == "Currently preparing showcase projects for Weaving. Check back soon!"


def test_every_project_has_its_own_anchor_a_label_a_story_and_a_second_picture() -> None:
    items = [item for group in PORTFOLIO for item in group.images]
    anchors = [item.id for item in items] + [group.id for group in PORTFOLIO]

    assert len(set(anchors)) == len(anchors)
    assert all(item.label and item.asked and item.outcome for item in items)
    assert all(item.detail and len(item.detail_alt) > 20 for item in items)


def test_s2_the_home_page_teases_the_first_articles_and_the_featured_one_largest() -> None:
    assert [teaser.id for teaser in teasers()] == [article.slug for article in ARTICLES[:4]]
    assert (featured(), *smaller()) == teasers()
    for teaser, article in zip(teasers(), ARTICLES, strict=False):
        assert teaser.href.lower() == article.href
        assert (teaser.date, teaser.read_time, teaser.author, teaser.category) == (
            article.date_line, article.read_time, article.author, article.category,
        )  # fmt: skip


@pytest.mark.parametrize("phrase", LEFT_OUT)
def test_s2_a_figure_about_these_people_is_left_out(phrase: str) -> None:
    added = ImpactStat(id="told", figure="40", description=f"{phrase.capitalize()} trained in Nakuru")

    assert list_shown((*STATS, added)) == list_shown()


@pytest.mark.parametrize("figure", ["3000", "3000,", "many", "3,00", ""])
def test_a_figure_must_be_a_whole_number_with_its_commas(figure: str) -> None:
    with pytest.raises(ValidationError):
        ImpactStat(id="odd", figure=figure, description="things")


@pytest.mark.parametrize(("figure", "target"), [("90", 90), ("3,000", 3000)])
def test_a_figure_counts_up_to_its_number(figure: str, target: int) -> None:
    assert ImpactStat(id="counted", figure=figure, description="things").target == target
