"""The services and the hosting plans: rules for every record."""

import pytest
from pydantic import ValidationError

from agency_site.content.hosting import PLANS
from agency_site.content.portfolio import works
from agency_site.content.services import SERVICES
from agency_site.content.services.schema import Service
from agency_site.content.services.software_development import SOFTWARE
from agency_site.settings import ROOT

ASSETS = ROOT / "assets"


def test_every_software_service_and_project_has_tags() -> None:
    assert all(offer.tags for offer in SOFTWARE.offers)
    assert all(project.languages for project in works(SOFTWARE.slug))
    assert len({tool.name for tool in SOFTWARE.stack}) == len(SOFTWARE.stack)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.slug)
def test_every_service_has_a_cover_and_a_share_image_and_describes_its_pictures(service: Service) -> None:
    assert all(len(offer.alt) > 20 for offer in service.offers if offer.image)
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
    record = {**SERVICES[0].model_dump(), "features": ("one", "two")}

    with pytest.raises(ValidationError, match="features"):
        Service.model_validate(record)


def test_one_hosting_plan_is_popular() -> None:
    assert sum(plan.popular for plan in PLANS) == 1
