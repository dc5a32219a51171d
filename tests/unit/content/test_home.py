"""Records of the home page: counts and facts of the specification, and pictures that exist."""

from collections.abc import Iterable

import pytest
from pydantic import ValidationError

from agency_site.content.calls import ACADEMY_CALL, BRAND_CALL
from agency_site.content.hero import HERO
from agency_site.content.impact import LEFT_OUT, STATS, TAGLINE, ImpactStat, list_shown
from agency_site.content.partners import HEADING, INTRO, PARTNERS
from agency_site.content.portfolio import PORTFOLIO
from agency_site.content.teasers import TEASERS, featured, smaller
from agency_site.content.testimonials import TESTIMONIALS, TRUST_LINE
from agency_site.settings import ROOT


def missing(pictures: Iterable[str]) -> list[str]:
    return [picture for picture in pictures if not (ROOT / "assets" / picture.lstrip("/")).is_file()]


def test_s4_the_carousel_has_two_slides_whose_accent_is_part_of_the_title() -> None:
    assert len(HERO) == 2
    assert all(slide.accent and slide.accent in slide.title for slide in HERO)
    assert missing(slide.image for slide in HERO) == []


def test_s2_there_are_two_testimonials() -> None:
    assert TRUST_LINE == "Trusted by 500+ Kenyan brands, entrepreneurs & tech leaders"
    assert len(TESTIMONIALS) == 2
    assert missing(said.image for said in TESTIMONIALS) == []


def test_s2_the_portfolio_has_four_categories_one_of_them_empty_on_purpose() -> None:
    assert [group.category for group in PORTFOLIO] == [
        "Web design & development",
        "Social media management/marketing",
        "Software Development",
        "Visual Identity & Branding",
    ]
    assert [group.id for group in PORTFOLIO if not group.images] == ["social"]


def test_s8_an_empty_category_says_that_its_projects_are_being_prepared() -> None:
    (empty,) = (group for group in PORTFOLIO if not group.images)

    assert empty.empty_text == (
        "Currently preparing showcase projects for Social media management/marketing. Check back soon!"
    )


def test_every_project_has_its_own_anchor_a_picture_and_a_label() -> None:
    items = [item for group in PORTFOLIO for item in group.images]
    anchors = [item.id for item in items] + [group.id for group in PORTFOLIO]

    assert len(set(anchors)) == len(anchors)
    assert all(item.label and item.alt.strip() for item in items)
    assert missing([item.image for item in items] + [group.cover for group in PORTFOLIO]) == []


def test_s2_one_featured_article_and_three_smaller_ones() -> None:
    assert featured() is TEASERS[0]
    assert len(smaller()) == 3
    assert [teaser.href for teaser in TEASERS] == [
        "/digitalmarketing-blog",
        "/Visual-blog",
        "/email-marketing-blog",
        "/video-blog",
    ]
    assert missing(teaser.image for teaser in TEASERS) == []


def test_s2_teasers_carry_the_given_categories_and_read_times() -> None:
    assert [teaser.category for teaser in TEASERS] == [
        "Digital Marketing",
        "Content Creation",
        "Email Marketing",
        "Video Marketing",
    ]
    assert {teaser.read_time for teaser in TEASERS} == {"3 min read", "4 min read"}


def test_s2_teasers_of_dated_articles_carry_their_dates() -> None:
    by_id = {teaser.id: teaser for teaser in TEASERS}

    assert (by_id["email-marketing-blog"].date, by_id["email-marketing-blog"].read_time) == (
        "April 26, 2025",
        "4 min read",
    )
    assert (by_id["video-blog"].date, by_id["video-blog"].author) == ("March 20, 2025", "admin")


def test_s2_the_four_figures_of_the_impact_banner() -> None:
    assert [(stat.figure, stat.target) for stat in list_shown()] == [
        ("250", 250),
        ("3,000", 3000),
        ("90", 90),
        ("10", 10),
    ]
    assert "meaningful results and lasting partnerships" in TAGLINE


@pytest.mark.parametrize("phrase", LEFT_OUT)
def test_s2_a_figure_about_these_people_is_left_out(phrase: str) -> None:
    added = ImpactStat(id="told", figure="40", description=f"{phrase.capitalize()} trained in Nakuru")

    assert list_shown((*STATS, added)) == STATS


@pytest.mark.parametrize("figure", ["3000", "3000,", "many", "3,00", ""])
def test_a_figure_must_be_a_whole_number_with_its_commas(figure: str) -> None:
    with pytest.raises(ValidationError):
        ImpactStat(id="odd", figure=figure, description="things")


def test_s2_twenty_two_partners_with_a_logo_each() -> None:
    assert HEADING == "Our Esteemed Clients"
    assert "collaborating with industry leaders" in INTRO
    assert [partner.name for partner in PARTNERS] == [f"Partner {number}" for number in range(1, 23)]
    assert missing(f"images/{partner.logo}" for partner in PARTNERS) == []


def test_s2_the_two_calls_lead_where_the_specification_says() -> None:
    assert BRAND_CALL.link.href == "/services/content-strategy"
    assert ACADEMY_CALL.title == "Eyeing that career in the digital space?"
    assert ACADEMY_CALL.link.href == "/academy"
    assert missing([BRAND_CALL.image, *ACADEMY_CALL.images]) == []


def test_the_till_slip_adds_up() -> None:
    assert BRAND_CALL.receipt_total == 180
