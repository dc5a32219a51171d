"""The HTTP API, assembled: routes of all features, one error format, limits, the M-Pesa simulator."""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.auth.api import router as staff
from agency_site.backoffice.lists.export import router as exports
from agency_site.backoffice.outbox.downloads import router as mail_files
from agency_site.backoffice.personal_data.download import router as privacy
from agency_site.backoffice.reports.downloads import router as reports
from agency_site.content.brand import BRAND
from agency_site.db.outages import describe_outage, is_outage
from agency_site.errors import InputRejected, SiteError, TooManyRequests, Unavailable
from agency_site.feature_contracts import join_features
from agency_site.features.academy.certificate_page.api import pages as certificate_pages
from agency_site.features.academy.learner_page.api import pages as learner_pages
from agency_site.features.academy.naming_page.api import pages as naming_pages
from agency_site.features.academy.planning.api import session_calendars
from agency_site.features.academy.waiting_page.api import pages as waiting_pages
from agency_site.features.booking.api import router as booking
from agency_site.features.booking.booking_page.api import pages as booking_pages
from agency_site.features.booking.calendar.api import calendars
from agency_site.features.booking.own_booking_page.api import pages as own_booking_pages
from agency_site.features.checkout.admin.downloads import router as money_files
from agency_site.features.checkout.admin.statements.upload import router as statements
from agency_site.features.checkout.api import router as checkout
from agency_site.features.checkout.order_page.api import pages as order_pages
from agency_site.features.checkout.payment_page.api import pages as payment_pages
from agency_site.features.comments.api import pages as comment_pages
from agency_site.features.contact.api import pages as contact_pages
from agency_site.features.editing.pictures.api import router as pictures
from agency_site.features.newsletter.admin.issue_previews import router as issue_previews
from agency_site.features.newsletter.api import pages as newsletter_pages
from agency_site.features.newsletter.api import router as newsletter
from agency_site.features.webinars.api import pages as webinar_pages
from agency_site.features.webinars.registration_page.api import pages as registration_pages
from agency_site.settings import SIMULATOR_PATH, SMS_SIMULATOR_PATH, Settings, settings
from agency_site.site.filtered_pages import pages as filtered_pages
from agency_site.site.served_courses import pages as course_pages
from agency_site.sms.api import router as sms_callbacks
from agency_site.sms.api import short_links
from agency_site.tracing import export_traces
from agency_site.web.middleware.error_responses import error_response
from agency_site.web.middleware.own_machine import HideFromOthers
from agency_site.web.middleware.rate_limits import LimitRequests
from agency_site.web.middleware.unhandled_errors import CatchExceptions
from agency_site.web.serving.garbage import collect_rarely
from agency_site.web.serving.health import router as health
from agency_site.web.serving.jobs import run_jobs
from agency_site.web.serving.metrics_page import router as metrics_page
from agency_site.web.serving.outbox_pages import router as outbox
from agency_site.web.serving.page_failures import router as page_failures
from agency_site.web.serving.previews import pages as preview_pages
from agency_site.web.serving.visits import router as visits

log = logging.getLogger(__name__)

ROUTERS = (
    health, metrics_page, page_failures, visits, booking, calendars, session_calendars, checkout, newsletter, outbox,
    pictures, sms_callbacks, staff, money_files, statements, mail_files, issue_previews, privacy, reports, exports,
)  # fmt: skip
"""The exports of lists come last, because their pattern also matches paths of other files."""

PAGE_ROUTERS = (
    booking_pages, certificate_pages, comment_pages, contact_pages, course_pages, filtered_pages, learner_pages, naming_pages,
    newsletter_pages, order_pages, own_booking_pages, payment_pages, preview_pages, registration_pages,
    short_links, waiting_pages, webinar_pages,
)  # fmt: skip
"""Pages that are drawn for a request, and the forms that pages post."""

_ANY = "*"
"""Key for paths whose first segment is a parameter."""
_REFLEX_PATHS = ("/_", "/ping")
"""Paths of the socket, and of the development server's requests."""


class FieldProblem(BaseModel):
    """The error of one field."""

    field: str
    message: str


class Problem(BaseModel):
    """The format of every error response."""

    message: str
    errors: list[FieldProblem] = []


def create_api() -> FastAPI:
    """Return the API as an ASGI application; without the site around it, it also runs the background jobs."""
    join_features()
    api = FastAPI(
        title=f"{BRAND.name} API",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
        responses={status: {"model": Problem} for status in (400, 408, 413, 422, 429)},
    )
    for router in (*ROUTERS, *PAGE_ROUTERS):
        api.include_router(router)
    _mount_simulator(api, settings())
    _mount_sms_simulator(api, settings())
    api.add_exception_handler(SiteError, _handle_site_error)
    api.add_exception_handler(SQLAlchemyError, _handle_database_error)
    api.add_exception_handler(RequestValidationError, _handle_validation_error)
    api.add_exception_handler(HTTPException, _handle_http_exception)
    api.add_middleware(LimitRequests, is_page=answers_page)
    api.add_middleware(CatchExceptions)
    return api


def in_front_of_reflex(reflex: ASGIApp) -> ASGIApp:
    """Route all requests to the API except Reflex's paths, so that unknown paths and methods get the API's error format."""
    api = create_api()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        belongs = str(scope.get("path", "")).startswith(_REFLEX_PATHS)
        await (reflex if belongs else api)(scope, receive, send)

    return app


def answers_page(scope: Scope) -> bool:
    """Return whether a route of `PAGE_ROUTERS` matches this request."""
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    page_scope = {**scope, "method": method}
    routes = _page_routes()
    candidates = (*routes.get(_first_segment(scope["path"]), ()), *routes[_ANY])
    return any(route.matches(page_scope)[0] is Match.FULL for route in candidates)


@cache
def _page_routes() -> Mapping[str, list[BaseRoute]]:
    """Return the routes of `PAGE_ROUTERS` by the first segment of their paths, because every request for a file is matched."""
    routes: dict[str, list[BaseRoute]] = {_ANY: []}
    for pages in PAGE_ROUTERS:
        for route in pages.routes:
            first = _first_segment(getattr(route, "path", ""))
            routes.setdefault(_ANY if first.startswith("{") else first, []).append(route)
    return routes


def _first_segment(path: str) -> str:
    return path.split("/", 2)[1] if path.startswith("/") else _ANY


@asynccontextmanager
async def _lifespan(_api: FastAPI) -> AsyncIterator[None]:
    async with export_traces(), run_jobs(), collect_rarely():
        yield


def _mount_simulator(api: FastAPI, now: Settings) -> None:
    if not now.simulator or now.mpesa_base_url:
        return
    # Imported only if it runs: production without the simulator never loads its code.
    from agency_site.mpesa.simulator import create_simulator
    from agency_site.mpesa.simulator.config import simulator_config_from

    api.mount(SIMULATOR_PATH, HideFromOthers(create_simulator(simulator_config_from(now))))


def _mount_sms_simulator(api: FastAPI, now: Settings) -> None:
    if not now.sms_simulator or now.sms_base_url:
        return
    from agency_site.sms.simulator import create_sms_simulator, sms_simulator_config_from

    api.mount(SMS_SIMULATOR_PATH, HideFromOthers(create_sms_simulator(sms_simulator_config_from(now))))


def problem(status: int, message: str, errors: list[dict[str, str]] | None = None) -> JSONResponse:
    """Return an error response; `errors` lists invalid fields."""
    body: dict[str, object] = {"message": message}
    if errors:
        body["errors"] = errors
    return JSONResponse(body, status_code=status)


async def _handle_site_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, SiteError)
    retry = (
        {"Retry-After": str(error.retry_after)} if isinstance(error, TooManyRequests | Unavailable) else {}
    )
    if answers_page(request.scope):
        return error_response(request.scope, error.status, error.message, retry)
    fields = (
        [{"field": e.field, "message": e.message} for e in error.errors]
        if isinstance(error, InputRejected)
        else None
    )
    response = problem(error.status, error.message, fields)
    response.headers.update(retry)
    return response


async def _handle_database_error(request: Request, error: Exception) -> Response:
    if not is_outage(error):
        raise error
    log.error("the database is unavailable: %s", describe_outage(error))
    message = "We cannot reach our records for a moment. Please try again in a minute."
    headers = {"Retry-After": str(Unavailable.retry_after)}
    return error_response(request.scope, Unavailable.status, message, headers)


async def _handle_validation_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    if any(detail["type"] == "json_invalid" for detail in errors):
        return problem(422, "The body is not valid JSON.")
    # The first part is body, query, path or header. An error of the whole body belongs to no field.
    fields = [
        {"field": str(detail["loc"][-1]), "message": str(detail["msg"]).removeprefix("Value error, ")}
        for detail in errors
        if len(detail["loc"]) > 1
    ]
    return problem(422, "Please check the fields and try again.", fields)


async def _handle_http_exception(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = problem(error.status_code, str(error.detail))
    response.headers.update(error.headers or {})
    return response
