"""The eight services and the hosting plans: counts, verbatim facts, links, pictures."""

from itertools import chain

import pytest
from pydantic import ValidationError

from agency_site.content.courses import course_by_slug
from agency_site.content.hosting import PLANS, SSL_NOTE
from agency_site.content.services import SERVICES
from agency_site.content.services.content_strategy import CONTENT_STRATEGY
from agency_site.content.services.digital_advertising import ADVERTISING
from agency_site.content.services.digital_training import TRAINING
from agency_site.content.services.photography import PHOTOGRAPHY
from agency_site.content.services.schema import RATING, Service
from agency_site.content.services.social_media import SOCIAL_MEDIA
from agency_site.content.services.software_development import SOFTWARE
from agency_site.content.services.visual_identity import VISUAL_IDENTITY
from agency_site.content.services.web_design import WEB_DESIGN
from agency_site.settings import ROOT
from agency_site.ui.icons import ICONS

ASSETS = ROOT / "assets"


def test_the_eight_services_are_in_the_order_of_their_targets() -> None:
    assert [service.path for service in SERVICES] == [
        "/services/web-design",
        "/services/social-media",
        "/services/software-development",
        "/services/digital-advertising",
        "/services/content-strategy",
        "/services/visual-identity",
        "/services/digital-training",
        "/services/photography",
    ]
    assert RATING == "5.0"


@pytest.mark.parametrize(
    ("service", "offers", "figures", "work", "steps"),
    [
        (WEB_DESIGN, 6, 0, 6, 0),
        (SOCIAL_MEDIA, 6, 4, 3, 4),
        (SOFTWARE, 6, 4, 6, 4),
        (ADVERTISING, 4, 0, 0, 0),
        (CONTENT_STRATEGY, 4, 0, 0, 5),
        (VISUAL_IDENTITY, 4, 0, 3, 0),
        (TRAINING, 0, 4, 0, 4),
        (PHOTOGRAPHY, 6, 0, 0, 0),
    ],
    ids=lambda value: value.slug if isinstance(value, Service) else None,
)
def test_each_page_has_exactly_its_parts(
    service: Service, offers: int, figures: int, work: int, steps: int
) -> None:
    counts = len(service.offers), len(service.figures), len(service.work), len(service.steps)

    assert counts == (offers, figures, work, steps)


def test_calls_to_action_lead_where_the_specification_says() -> None:
    targets = {service.slug: service.closing.link.href for service in SERVICES}

    assert {slug for slug, href in targets.items() if href == "/contact"} == {
        "social-media",
        "digital-training",
        "photography",
    }
    assert set(targets.values()) == {"/contact", "/book"}
    assert PHOTOGRAPHY.closing.link.label == "Discuss Your Project"


def test_steps_four_and_five_of_content_strategy_are_both_numbered_four() -> None:
    assert [step.number for step in CONTENT_STRATEGY.steps] == ["1", "2", "3", "4", "4"]


def test_five_programmes_lead_to_six_courses_that_exist() -> None:
    slugs = list(chain.from_iterable(program.courses for program in TRAINING.programs))

    assert len(TRAINING.programs) == 5
    assert slugs == [
        "digital-marketing",
        "email-marketing",
        "digital-skills",
        "social-media-marketing",
        "digital-marketing-masterclass",
        "google-ads",
    ]
    assert all(course_by_slug(slug) for slug in slugs)


def test_claims_are_as_the_specification_gives_them() -> None:
    assert {figure.figure for figure in SOCIAL_MEDIA.figures} == {"87%", "3.2x", "250%", "42%"}
    assert [(figure.figure, figure.label) for figure in TRAINING.figures] == [
        ("92%", "job placement"),
        ("85K", "average salary"),
        ("250+", "hiring partners"),
        ("98%", "satisfaction"),
    ]


def test_media_cards_carry_the_given_names() -> None:
    assert [offer.title for offer in PHOTOGRAPHY.offers] == [
        "Professional Photography",
        "Cinematic Videography",
        "Live Streaming",
        "Post-Production",
        "Product Photography",
        "Event Coverage",
    ]


def test_every_software_service_and_project_has_tags() -> None:
    assert all(offer.tags for offer in SOFTWARE.offers)
    assert all(project.tags for project in SOFTWARE.work)
    assert len({tool.name for tool in SOFTWARE.stack}) == len(SOFTWARE.stack) >= 8


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.slug)
def test_every_picture_icon_and_cover_exists_and_pictures_are_described(service: Service) -> None:
    pictures = [(offer.image, offer.alt) for offer in service.offers if offer.image]
    pictures += [(project.image, project.alt) for project in service.work]

    assert all((ASSETS / image.lstrip("/")).is_file() for image, _ in pictures)
    assert all(len(alt) > 20 for _, alt in pictures)
    assert service.icon in ICONS
    assert (ASSETS / "art" / "covers" / f"{service.slug}.svg").is_file()
    assert (ASSETS / "share" / f"services-{service.slug}.png").is_file()


def test_titles_descriptions_and_summaries_are_unique() -> None:
    for texts in (
        [service.seo_title for service in SERVICES],
        [service.seo_description for service in SERVICES],
        [service.summary for service in SERVICES],
        [service.lead for service in SERVICES],
    ):
        assert len(set(texts)) == len(SERVICES)


def test_a_card_needs_three_features() -> None:
    record = {**WEB_DESIGN.model_dump(), "features": ("one", "two")}

    with pytest.raises(ValidationError, match="features"):
        Service.model_validate(record)


def test_hosting_plans_have_the_given_prices_and_parts() -> None:
    assert [(plan.slug, plan.name, plan.price_text, plan.popular) for plan in PLANS] == [
        ("starter", "Starter", "3,300 ksh", False),
        ("growth", "Growth", "5,500 ksh", True),
        ("pro", "Pro", "7,500 ksh", False),
    ]
    assert PLANS[0].storage == "20 GB SSD"
    assert PLANS[1].storage.startswith("30 GB")
    assert PLANS[2].storage.startswith("50 GB")
    assert [plan.features for plan in PLANS] == [
        (),
        ("Email support", "Weekly backups"),
        ("24/7 premium support", "Email support", "Weekly backup"),
    ]
    assert SSL_NOTE == "SSL certificate paid separately on all plans"
