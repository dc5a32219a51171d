"""Counting pages on which React has failed, so that their plain HTML was put back (`site/layout/plain_page.js`)."""

from fastapi import APIRouter, Request

from agency_site.metrics import page_failures
from agency_site.settings import settings
from agency_site.site.layout.served_pages import PAGES, PublishedPages
from agency_site.visits.rules import split_referrer

router = APIRouter(include_in_schema=False)


@router.post("/api/failures", status_code=204)
async def report_failure(request: Request) -> None:
    """Count a failure on the page that is the request's referrer, if the site has that page."""
    page = split_referrer(request.headers.get("referer", ""))
    pages: PublishedPages | None = request.scope.get(PAGES)
    if pages is not None and settings().is_own_host(page.hostname or "") and pages.find_page(page.path):
        page_failures.labels(page.path).inc()
