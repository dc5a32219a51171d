"""Requests that the API handles instead of a published file."""

import re

import pytest
from fastapi.routing import APIRoute

from agency_site.web.serving.api import PAGE_ROUTERS, answers_page

ROUTES = sorted(
    (method, re.sub(r"\{\w+\}", "some", route.path))
    for pages in PAGE_ROUTERS
    for route in pages.routes
    if isinstance(route, APIRoute) and type(route) is APIRoute
    for method in route.methods or ()
)


def answers(method: str, path: str) -> bool:
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": []}
    return answers_page(scope)


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_of_a_page_is_found(method: str, path: str) -> None:
    assert answers(method, path)
    assert answers("HEAD", path) is answers("GET", path)


@pytest.mark.parametrize(
    "path", ["/about", "/assets/a.js", "/order", "/order/a/b/c", "/Book", "", "*", "//book"]
)
def test_requests_for_other_paths_are_left_to_published_files(path: str) -> None:
    assert not answers("GET", path)
