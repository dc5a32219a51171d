"""Services page, service pages and hosting in a real browser (specification, section 2; readings, 2, 4, 11, 13)."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.services import SERVICES
from agency_site.content.services.schema import Service
from tests.e2e.conftest import PHONE, Opener, hydrated

MAIN = "main"


def texts(locator: Locator) -> list[str]:
    """Return the texts of the elements, without surrounding space."""
    return [text.strip() for text in locator.all_inner_texts()]


def hrefs(page: Page, name: str) -> list[str]:
    """Targets of the main part's links whose name starts so."""
    links = page.locator(MAIN).get_by_role("link", name=re.compile(f"^{name}"))
    return [link.get_attribute("href") or "" for link in links.all()]


def part(page: Page, heading: str) -> Locator:
    """The section under a heading of the second level."""
    return page.locator("main section").filter(
        has=page.get_by_role("heading", name=heading, level=2, exact=True)
    )


def articles(page: Page, heading: str) -> Locator:
    """The cards of a section."""
    return part(page, heading).locator("article")


def test_s2_services_page_shows_eight_cards_in_full(open_page: Opener) -> None:
    page = open_page("/services", scripts=False)
    cards = page.locator("main article")

    assert page.locator("h1").count() == 1
    assert texts(cards.get_by_role("heading")) == [service.name for service in SERVICES]
    for card, service in zip(cards.all(), SERVICES, strict=True):
        expect(card).to_contain_text("5.0")
        expect(card).to_contain_text(service.summary)
        assert texts(card.get_by_role("listitem")) == list(service.features[:3])
        assert card.locator("svg").count() >= 2
        discover = card.get_by_role("link", name=f"Discover Service {service.name}")
        expect(discover).to_have_attribute("href", service.path)


def test_s2_services_page_card_headers_cycle_through_eight_gradients(open_page: Opener) -> None:
    page = open_page("/services", scripts=False)
    grounds = page.locator(".service-head").evaluate_all(
        "heads => heads.map(head => getComputedStyle(head).backgroundImage)"
    )

    assert len(grounds) == len(set(grounds)) == 8
    assert all("linear-gradient" in background for background in grounds)


def test_s2_services_page_relative_web_design_link_and_its_alias_work(open_page: Opener) -> None:
    page = open_page("/services")
    page.locator("main article").first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/services/web-design$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Web design and development")

    page.goto("/services")
    relative = page.evaluate("new URL('web-design', location.href).pathname")
    page.goto(relative)
    hydrated(page)
    expect(page).to_have_url(re.compile(r"/services/web-design$"))


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.slug)
def test_s2_every_service_page_has_one_heading_and_a_link_back_in_its_hero(
    open_page: Opener, service: Service
) -> None:
    page = open_page(service.path, scripts=False)
    link = page.locator(MAIN).get_by_role("link", name="All services", exact=True)

    assert page.locator("h1").count() == 1
    expect(link).to_have_attribute("href", "/services")
    assert link.evaluate("link => Boolean(link.compareDocumentPosition(document.querySelector('h1')) & 4)")


def test_s2_web_design_shows_services_plans_six_pictures_and_leads_to_booking(open_page: Opener) -> None:
    page = open_page("/services/web-design", scripts=False)

    assert articles(page, "What we build").count() == 6
    assert articles(page, "And a place to put it").count() == 3
    assert hrefs(page, "Choose") == ["/hosting"] * 3
    assert part(page, "Six sites, six trades").get_by_role("img").count() == 6
    assert set(hrefs(page, "Book a Consultation")) == {"/book"}


def test_s2_social_media_shows_six_services_results_campaigns_and_process(open_page: Opener) -> None:
    page = open_page("/services/social-media", scripts=False)

    assert articles(page, "What we take off your hands").count() == 6
    assert texts(part(page, "What comes back").get_by_role("definition")) == ["250%", "3.2x", "87%", "42%"]
    assert part(page, "Three campaigns people sent on").get_by_role("img").count() == 3
    assert texts(part(page, "How a month runs").locator(".month-dot")) == ["1", "2", "3", "4"]
    assert hrefs(page, "Start the conversation") == ["/contact"]


def test_s2_software_shows_tags_figures_projects_process_and_stack(open_page: Opener) -> None:
    page = open_page("/services/software-development", scripts=False)
    offers = articles(page, "What we build and look after")

    assert offers.count() == 6
    assert all(offer.get_by_role("listitem").count() >= 2 for offer in offers.all())
    assert part(page, "In daily use").get_by_role("definition").count() == 4
    assert articles(page, "Six systems people open every morning").get_by_role("img").count() == 6
    assert part(page, "Four steps, and you hold the brake").get_by_role("listitem").count() == 4
    assert part(page, "What we build with").get_by_role("listitem").count() == 12
    assert hrefs(page, "Book a Consultation") == ["/book"]


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/services/digital-advertising", "Four places to put a shilling"),
        ("/services/content-strategy", "Four pieces of work"),
        ("/services/visual-identity", "From the name to the van"),
    ],
)
def test_s2_advertising_content_and_identity_show_four_services_and_lead_to_booking(
    open_page: Opener, path: str, heading: str
) -> None:
    page = open_page(path, scripts=False)

    assert articles(page, heading).count() == 4
    assert hrefs(page, "Book a Consultation") == ["/book"]


def test_s2_content_strategy_numbers_its_process_1_2_3_4_4(open_page: Opener) -> None:
    page = open_page("/services/content-strategy", scripts=False)
    steps = part(page, "From the first question to the next one").get_by_role("listitem")

    assert [text.split()[0] for text in texts(steps)] == ["1", "2", "3", "4", "4"]


def test_s2_brand_identity_shows_three_projects(open_page: Opener) -> None:
    page = open_page("/services/visual-identity", scripts=False)

    assert articles(page, "Three identities, complete").get_by_role("img").count() == 3


def test_s2_training_leads_into_the_academy(open_page: Opener) -> None:
    page = open_page("/services/digital-training", scripts=False)
    cards = articles(page, "Five programmes, one habit: do it the same day")

    hero = page.locator(".hero-split")
    expect(hero.get_by_role("link", name="To the academy")).to_have_attribute("href", "/academy")
    assert cards.count() == 5
    assert sorted(hrefs(page, "Learn more")) == [
        "/digital-marketing",
        "/digital-marketing-masterclass",
        "/digital-skills",
        "/email-marketing",
        "/google-ads",
        "/social-media-marketing",
    ]
    assert all(card.get_by_role("link", name=re.compile("^Learn more")).count() >= 1 for card in cards.all())
    assert hrefs(page, "See the whole academy") == ["/academy"]
    assert texts(part(page, "Where it leads").get_by_role("definition")) == ["92%", "85K", "250+", "98%"]
    assert part(page, "How we teach").get_by_role("listitem").count() == 4
    assert hrefs(page, "Ask for a team class") == ["/contact"]


def test_s2_media_shows_six_named_cards_and_one_button(open_page: Opener) -> None:
    page = open_page("/services/photography", scripts=False)

    assert texts(articles(page, "Six ways we press the button").get_by_role("heading")) == [
        "Professional Photography",
        "Cinematic Videography",
        "Live Streaming",
        "Post-Production",
        "Product Photography",
        "Event Coverage",
    ]
    assert hrefs(page, "Discuss Your Project") == ["/contact"]


def test_s9_hosting_shows_three_plans_with_their_prices_and_sign_ups(open_page: Opener) -> None:
    page = open_page("/hosting", scripts=False)
    starter, growth, pro = articles(page, "Plans").all()

    for plan, facts in (
        (starter, ("Starter", "3,300 ksh", "per month", "20 GB SSD")),
        (growth, ("Growth", "5,500 ksh", "POPULAR", "30 GB", "Email support", "Weekly backups")),
        (pro, ("Pro", "7,500 ksh", "50 GB", "24/7 premium support", "Email support", "Weekly backup")),
    ):
        for fact in (*facts, "SSL certificate paid separately"):
            expect(plan).to_contain_text(fact)
    assert page.get_by_text("POPULAR", exact=True).count() == 1
    assert hrefs(page, "Choose") == ["/signup/starter", "/signup/growth", "/signup/pro"]


def test_hosting_answers_unfold_without_scripts(open_page: Opener) -> None:
    page = open_page("/hosting", scripts=False, viewport=PHONE)
    answer = page.get_by_text("A certificate is issued to you")

    expect(answer).to_be_hidden()
    page.get_by_text("Why is the SSL certificate paid separately?").click()
    expect(answer).to_be_visible()
