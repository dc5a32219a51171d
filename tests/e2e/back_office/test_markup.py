"""Every screen of the back office is valid HTML once it is filled."""

import pytest

from agency_site.auth.rules import Role
from agency_site.web.serving.edge import BACK_OFFICE, Site
from tests.e2e.back_office.conftest import BackOfficeOpener, employ, filled
from tests.e2e.back_office.test_access import records
from tests.e2e.back_office.test_newsletters import reference_of, saved, title
from tests.e2e.conftest import RunningSite
from tests.html_checker import html_errors

pytestmark = pytest.mark.thorough


def test_every_screen_is_valid_html(
    site: RunningSite, back_office: BackOfficeOpener, published: Site
) -> None:
    member, named = employ(site, Role.OWNER), title()
    page, documents = saved(back_office, named, member=member), {}
    files = records(site, member) | {"/admin/newsletter": f"/admin/newsletter?id={reference_of(site, named)}"}
    for path in (path for path in sorted(published.pages) if BACK_OFFICE.match(path)):
        page.goto(files.get(path, path))
        filled(page)
        documents[path] = page.content()
    assert len(documents) > len(files)
    assert html_errors(documents) == []
