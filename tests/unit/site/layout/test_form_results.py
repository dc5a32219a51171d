"""What a page says about a posted form follows from the redirect of the site, not from a link that anyone can write."""

from datetime import datetime, timedelta

from fastapi import Request

from agency_site import clock
from agency_site.site.layout.form_results import has_result, see_result


def open_page(address: str) -> Request:
    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "path": path,
        "query_string": query.encode(),
        "headers": [],
        "server": ("site", 80),
    }
    return Request(scope)


def test_only_the_redirect_of_the_site_shows_a_result(noon: datetime) -> None:
    address = see_result("/learner/token", "sent").headers["location"]
    assert has_result(open_page(address), "sent")
    query = address.partition("?")[2]
    for other in (
        "/learner/token",
        "/learner/token?sent",
        "/learner/token?sent=",
        "/learner/token?sent=1.2",
        f"/learner/token?saved={query.partition('=')[2]}",
        f"/learner/another?{query}",
        address.replace("sent=1", "sent=2"),
        address[:-1],
    ):
        assert not has_result(open_page(other), "sent"), other
    with clock.frozen(noon + timedelta(minutes=9)):
        assert has_result(open_page(address), "sent")
    with clock.frozen(noon + timedelta(minutes=10)):
        assert not has_result(open_page(address), "sent")
