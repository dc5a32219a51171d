"""Services page, service pages and hosting (specification, section 2; readings, 2, 4, 11, 13)."""

import re
from collections.abc import Sequence
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from agency_site.content.services import SERVICES
from agency_site.content.services.photography import PHOTOGRAPHY
from agency_site.content.services.schema import RATING, Service
from tests.e2e.conftest import PHONE, WIDE, Opener, PageReader
from tests.html_document import Element, section_under


def texts(elements: Sequence[Element]) -> list[str]:
    return [element.text for element in elements]


def hrefs(page: Element, name: str) -> list[str]:
    """Targets of the main part's links whose name starts so."""
    links = page.get_by_role("main").get_all_by_role("link", re.compile(f"^{name}"))
    return [link["href"] for link in links]


def articles(page: Element, heading: str) -> list[Element]:
    """The cards of a section."""
    return section_under(page, heading).select_all("article")


def test_s2_services_page_shows_every_card_in_full(read_page: PageReader) -> None:
    page = read_page("/services")
    cards = page.select_all("main article")

    page.get_by_role("heading", level=1)
    assert [card.get_by_role("heading").text for card in cards] == [service.name for service in SERVICES]
    for card, service in zip(cards, SERVICES, strict=True):
        assert RATING in card.text
        assert service.summary in card.text
        assert texts(card.get_all_by_role("listitem")) == list(service.features[:3])
        assert len(card.select_all("svg")) >= 2
        assert card.get_by_role("link", f"Discover Service {service.name}")["href"] == service.path


@pytest.mark.specification
def test_s2_services_page_card_headers_cycle_through_eight_gradients(open_page: Opener) -> None:
    page = open_page("/services", scripts=False)
    grounds = page.locator(".service-head").evaluate_all(
        "heads => heads.map(head => getComputedStyle(head).backgroundImage)"
    )

    assert len(grounds) == len(set(grounds)) == 8
    assert all("linear-gradient" in background for background in grounds)


@pytest.mark.specification
def test_s2_services_page_relative_web_design_link_and_its_alias_work(read_page: PageReader) -> None:
    link = read_page("/services").select_all("main article a")[0]
    for target in (link["href"], urljoin("/services", "web-design")):
        page = read_page(target)
        assert page.select("link[rel=canonical]")["href"].endswith("/services/web-design")
        assert page.get_by_role("heading", level=1).text == "Web design and development"


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.slug)
def test_s2_every_service_page_has_one_heading_and_a_link_back_in_its_hero(
    read_page: PageReader, service: Service
) -> None:
    main = read_page(service.path).get_by_role("main")
    assert main.get_by_role("link", "All services")["href"] == "/services"
    heading = main.get_by_role("heading", level=1).text
    assert main.text.index("All services") < main.text.index(heading)


@pytest.mark.specification
def test_s2_web_design_shows_services_plans_six_pictures_and_leads_to_booking(read_page: PageReader) -> None:
    page = read_page("/services/web-design")

    assert len(articles(page, "What we build")) == 6
    assert len(articles(page, "And a place to put it")) == 3
    assert hrefs(page, "Choose") == ["/hosting"] * 3
    assert len(section_under(page, "Six sites, six trades").get_all_by_role("img")) == 6
    assert set(hrefs(page, "Book a Consultation")) == {"/book"}


@pytest.mark.specification
def test_s2_social_media_shows_six_services_results_campaigns_and_process(read_page: PageReader) -> None:
    page = read_page("/services/social-media")

    assert len(articles(page, "What we take off your hands")) == 6
    assert texts(section_under(page, "What comes back").get_all_by_role("definition")) == [
        "250%",
        "3.2x",
        "87%",
        "42%",
    ]
    assert len(section_under(page, "Three campaigns people sent on").get_all_by_role("img")) == 3
    assert texts(section_under(page, "How a month runs").select_all(".month-dot")) == ["1", "2", "3", "4"]
    assert hrefs(page, "Start the conversation") == ["/contact"]


@pytest.mark.specification
def test_s2_software_shows_tags_figures_projects_process_and_stack(read_page: PageReader) -> None:
    page = read_page("/services/software-development")
    offers = articles(page, "What we build and look after")

    assert len(offers) == 6
    assert all(len(offer.get_all_by_role("listitem")) >= 2 for offer in offers)
    assert len(section_under(page, "In daily use").get_all_by_role("definition")) == 4
    assert len(section_under(page, "Six systems people open every morning").get_all_by_role("img")) == 6
    assert len(section_under(page, "Four steps, and you hold the brake").get_all_by_role("listitem")) == 4
    assert len(section_under(page, "What we build with").get_all_by_role("listitem")) == 12
    assert hrefs(page, "Book a Consultation") == ["/book"]


@pytest.mark.specification
@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/services/digital-advertising", "Four places to put a shilling"),
        ("/services/content-strategy", "Four pieces of work"),
        ("/services/visual-identity", "From the name to the van"),
    ],
)
def test_s2_advertising_content_and_identity_show_four_services_and_lead_to_booking(
    read_page: PageReader, path: str, heading: str
) -> None:
    page = read_page(path)

    assert len(articles(page, heading)) == 4
    assert hrefs(page, "Book a Consultation") == ["/book"]


@pytest.mark.specification
def test_s2_content_strategy_numbers_its_process_1_2_3_4_4(read_page: PageReader) -> None:
    page = read_page("/services/content-strategy")
    steps = section_under(page, "From the first question to the next one").get_all_by_role("listitem")

    assert [text.split()[0] for text in texts(steps)] == ["1", "2", "3", "4", "4"]


@pytest.mark.specification
def test_s2_brand_identity_shows_three_projects(read_page: PageReader) -> None:
    page = read_page("/services/visual-identity")

    assert len(section_under(page, "Three identities, complete").get_all_by_role("img")) == 3


@pytest.mark.specification
def test_s2_training_leads_into_the_academy(read_page: PageReader) -> None:
    page = read_page("/services/digital-training")
    cards = articles(page, "Five programmes, one habit: do it the same day")

    assert page.select(".hero-split").get_by_role("link", "To the academy")["href"] == "/academy"
    assert len(cards) == 5
    assert sorted(hrefs(page, "Learn more")) == [
        "/digital-marketing",
        "/digital-marketing-masterclass",
        "/digital-skills",
        "/email-marketing",
        "/google-ads",
        "/social-media-marketing",
    ]
    assert all(card.get_all_by_role("link", re.compile("^Learn more")) for card in cards)
    assert hrefs(page, "See the whole academy") == ["/academy"]
    assert texts(section_under(page, "Where it leads").get_all_by_role("definition")) == [
        "92%",
        "85K",
        "250+",
        "98%",
    ]
    assert len(section_under(page, "How we teach").get_all_by_role("listitem")) == 4
    assert hrefs(page, "Ask for a team class") == ["/contact"]


@pytest.mark.specification
def test_s2_media_shows_six_named_cards_and_one_button(read_page: PageReader) -> None:
    page = read_page("/services/photography")

    cards = articles(page, "Six ways we press the button")
    assert [card.get_by_role("heading").text for card in cards] == [
        offer.title for offer in PHOTOGRAPHY.offers
    ]
    assert hrefs(page, "Discuss Your Project") == ["/contact"]


@pytest.mark.specification
def test_s9_hosting_shows_three_plans_with_their_prices_and_sign_ups(read_page: PageReader) -> None:
    page = read_page("/hosting")
    starter, growth, pro = articles(page, "Plans")

    for plan, facts in (
        (starter, ("Starter", "3,300 ksh", "per month", "20 GB SSD")),
        (growth, ("Growth", "5,500 ksh", "POPULAR", "30 GB", "Email support", "Weekly backups")),
        (pro, ("Pro", "7,500 ksh", "50 GB", "24/7 premium support", "Email support", "Weekly backup")),
    ):
        for fact in (*facts, "SSL certificate paid separately"):
            assert fact in plan.text
    page.get_by_text("POPULAR")
    assert hrefs(page, "Choose") == ["/signup/starter", "/signup/growth", "/signup/pro"]


def test_the_forms_of_a_picture_take_no_cell_of_the_grid_around_it(open_page: Opener) -> None:
    page = open_page("/services/web-design", viewport=WIDE)
    words = page.get_by_role("heading", level=1).bounding_box()
    picture = page.locator("main img").first.bounding_box()
    assert words
    assert picture
    assert words["x"] + words["width"] <= picture["x"]


@pytest.mark.specification
def test_hosting_answers_unfold_without_scripts(open_page: Opener) -> None:
    page = open_page("/hosting", scripts=False, viewport=PHONE)
    answer = page.get_by_text("A certificate is issued to you")

    expect(answer).to_be_hidden()
    page.get_by_text("Why is the SSL certificate paid separately?").click()
    expect(answer).to_be_visible()
