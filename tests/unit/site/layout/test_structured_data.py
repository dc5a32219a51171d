"""Facts for machines: valid, true to their records, and no way out of their element."""

import json
from dataclasses import replace
from datetime import date, time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.agency_site import routes
from agency_site.content.article_schema import Article, Insight
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.courses import COURSES
from agency_site.content.hours import HOURS
from agency_site.content.insights import INSIGHTS
from agency_site.content.webinars import Webinar, past
from agency_site.features.contact.view import MAP_PAGE
from agency_site.features.webinars.page import event_facts
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.organisation import opening_hours
from agency_site.site.layout.route import Route
from agency_site.site.layout.structured_data import page_graph, script_text
from tests.example_records import OTHER_ARTICLE, PAID_COURSE, WEBINAR
from tests.schema_org import problems, types_of

INDEXED = {route.path: route for route in routes if not route.private and not route.dynamic}


def graph_of(path: str) -> dict[str, Any]:
    """The graph of a page, as a reader of its script element gets it."""
    return json.loads(script_text(page_graph(INDEXED[path])))  # type: ignore[no-any-return]


def node(path: str, kind: str) -> dict[str, Any]:
    """The one node of that type on a page."""
    (result,) = (each for each in graph_of(path)["@graph"] if kind in types_of(each))
    return result  # type: ignore[no-any-return]


@settings(deadline=None)
@given(st.text())
def test_no_text_ends_the_script_and_every_text_reads_back(text: str) -> None:
    script = script_text([{"@type": "Event", "name": text}])
    assert not set(script) & set("<>&")
    assert json.loads(script)["@graph"][0]["name"] == text


@pytest.mark.parametrize("path", INDEXED)
def test_the_graph_of_every_page_validates(path: str) -> None:
    assert problems(graph_of(path)) == []


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        ({"ratingValue": "5"}, "ratingValue is no property"),
        ({"startDate": "3 December"}, "startDate: '3 December' is no moment"),
        ({"url": "/webinar"}, "url: '/webinar' is no address"),
        ({"organizer": {"@id": "https://nowhere.example/#x"}}, "points to no"),
        ({"name": ""}, "name: '' is no text"),
    ],
)
def test_the_validator_names_the_problem(spoil: dict[str, object], named: str) -> None:
    graph = graph_of(f"/webinar/{WEBINAR.id}")
    graph["@graph"][-1] |= spoil
    (problem,) = problems(graph)
    assert named in problem


def test_the_validator_reports_a_missing_required_property() -> None:
    graph = graph_of(f"/{PAID_COURSE.slug}")
    del graph["@graph"][-1]["offers"]
    assert problems(graph) == ["('Course',): offers is missing"]


def test_every_kind_of_page_states_its_own_type() -> None:
    kinds = {
        f"/{PAID_COURSE.slug}": "Course", "/services/photography": "Service", "/hosting": "Service", "/academy": "ItemList",
        f"/webinar/{WEBINAR.id}": "Event", OTHER_ARTICLE.href: "BlogPosting", INSIGHTS[0].href: "BlogPosting",
        "/about": "AboutPage", "/contact": "ContactPage", "/newsletter": "FAQPage", "/": "LocalBusiness",
    }  # fmt: skip
    for path, kind in kinds.items():
        assert node(path, kind), path


def test_courses_state_the_price_and_the_length_of_their_page() -> None:
    for course in COURSES:
        results = [
            each for each in graph_of(course.path)["@graph"] if each["@id"].endswith(f"{course.path}#course")
        ]
        (facts,) = results
        assert (facts["offers"]["price"], facts["offers"]["priceCurrency"]) == (course.detail_price, "KES")
        assert facts["offers"]["category"] == ("Free" if course.free else "Paid")
        assert facts["hasCourseInstance"]["courseSchedule"]["repeatCount"] == len(course.detail.weeks)


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("Wanjiru Kamau", ("Person", "Wanjiru Kamau")),
        ("Design Njeri", ("Person", "Design Njeri")),
        ("admin", ("Organization", BRAND.name)),
        ("Web desk", ("Organization", BRAND.name)),
        ("The editorial team", ("Organization", BRAND.name)),
        (BRAND.name, ("Organization", BRAND.name)),
    ],
)
def test_the_author_of_an_article_is_that_of_its_byline(byline: str, author: tuple[str, str]) -> None:
    route = INDEXED[OTHER_ARTICLE.href]
    assert route.publication
    signed_route = replace(route, publication=route.publication.model_copy(update={"author": byline}))
    graph = json.loads(script_text(page_graph(signed_route)))
    assert problems(graph) == []
    (article,) = (each for each in graph["@graph"] if "BlogPosting" in types_of(each))
    assert (article["author"]["@type"], article["author"]["name"]) == author


def test_articles_state_their_dates() -> None:
    pieces: tuple[Article | Insight, ...] = (*ARTICLES, *INSIGHTS)
    for publication in pieces:
        facts = node(publication.href, "BlogPosting")
        assert (facts["headline"], facts["datePublished"]) == (
            publication.title,
            publication.published.isoformat(),
        )
        assert (
            facts["dateModified"]
            == node(publication.href, "WebPage")["dateModified"]
            == publication.changed.isoformat()
        )


def test_a_revised_article_states_both_days() -> None:
    revised = ARTICLES[0].model_copy(update={"revised": date(2026, 1, 2)})
    route = Route(path=revised.href, title="t", description="d", body=lambda: None, publication=revised)  # type: ignore[arg-type,return-value]
    facts = page_graph(route)[-1]
    assert (facts["datePublished"], facts["dateModified"]) == (revised.published.isoformat(), "2026-01-02")


def test_opening_hours_are_those_of_bookings() -> None:
    week: dict[str, tuple[str, str]] = {}
    for hours in node("/contact", "LocalBusiness")["openingHoursSpecification"]:
        week |= dict.fromkeys(hours["dayOfWeek"], (hours["opens"], hours["closes"]))
    assert list(week.values()) == [
        (f"{each.opens:%H:%M}", f"{each.closes:%H:%M}") for each in HOURS.week if each
    ]
    assert len(week) == sum(each is not None for each in HOURS.week)
    assert "https://schema.org/Sunday" not in week


def test_a_closed_day_separates_two_runs_of_opening_hours() -> None:
    monday = HOURS.week[0]
    assert len(opening_hours((monday, None, monday, monday, None, None, None))) == 2


def test_the_organisation_has_the_brands_profiles() -> None:
    organisation = node("/", "LocalBusiness")
    assert (organisation["name"], organisation["telephone"]) == (BRAND.name, BRAND.phone_e164)
    assert organisation["sameAs"] == [str(link.url) for link in BRAND.social]


def test_the_address_is_where_the_map_shows_it() -> None:
    geo = node("/", "LocalBusiness")["geo"]
    assert (geo["latitude"], geo["longitude"]) == (BRAND.latitude, BRAND.longitude)
    assert f"mlat={geo['latitude']}&mlon={geo['longitude']}" in MAP_PAGE


def test_the_breadcrumb_leads_from_home_to_the_page_over_existing_pages() -> None:
    for path, route in INDEXED.items():
        steps = node(path, "BreadcrumbList")["itemListElement"]
        assert [step["position"] for step in steps] == [*range(1, len(steps) + 1)]
        ways = [step["item"].removeprefix(PLACEHOLDER_ORIGIN) for step in steps]
        assert ways[0] == "/"
        assert ways[-1] == (route.canonical or path)
        assert set(ways) <= set(INDEXED), path


def test_a_webinar_is_an_event_with_the_facts_of_its_record() -> None:
    planned = WEBINAR.model_copy(
        update={"date": date(2026, 12, 3), "time": time(18, 30), "duration": "60 minutes", "capacity": None}
    )
    facts = event_facts(planned)
    assert (facts["startDate"], facts["endDate"]) == (
        "2026-12-03T18:30:00+03:00",
        "2026-12-03T19:30:00+03:00",
    )
    assert facts["location"] == {
        "@type": "VirtualLocation",
        "url": f"{PLACEHOLDER_ORIGIN}/webinar/{WEBINAR.id}",
    }
    offer = {"@type": "Offer", "url": facts["url"], "price": 0, "priceCurrency": "KES", "category": "Free"}
    assert facts["offers"] == offer
    assert "maximumAttendeeCapacity" not in facts
    assert event_facts(planned.model_copy(update={"capacity": 40}))["maximumAttendeeCapacity"] == 40


@pytest.mark.parametrize("webinar", past(), ids=lambda webinar: webinar.id)
def test_a_past_webinar_is_no_event(webinar: Webinar) -> None:
    assert [each for each in graph_of(webinar.href)["@graph"] if "Event" in types_of(each)] == []
