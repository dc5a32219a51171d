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
from agency_site.content.brand import BRAND
from agency_site.db.outages import describe_outage, is_outage
from agency_site.errors import InputRejected, SiteError, TooManyRequests, Unavailable
from agency_site.feature_contracts import join_features
from agency_site.features.academy.certificate_page.api import pages as certificate_pages
from agency_site.features.academy.learner_page.api import pages as learner_pages
from agency_site.features.academy.naming_page.api import pages as naming_pages
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
from agency_site.features.newsletter.admin.issue_previews import router as issue_previews
from agency_site.features.newsletter.api import pages as newsletter_pages
from agency_site.features.newsletter.api import router as newsletter
from agency_site.features.webinars.api import pages as webinar_pages
from agency_site.features.webinars.registration_page.api import pages as registration_pages
from agency_site.mail.api import router as outbox
from agency_site.settings import SIMULATOR_PATH, Settings, settings
from agency_site.site.filtered_pages import pages as filtered_pages
from agency_site.site.served_courses import pages as course_pages
from agency_site.tracing import export_traces
from agency_site.web.middleware.error_responses import error_response
from agency_site.web.middleware.rate_limits import LimitRequests
from agency_site.web.middleware.unhandled_errors import CatchExceptions
from agency_site.web.serving.garbage import collect_rarely
from agency_site.web.serving.health import router as health
from agency_site.web.serving.jobs import run_jobs
from agency_site.web.serving.metrics_page import router as metrics_page

log = logging.getLogger(__name__)

ROUTERS = (
    health, metrics_page, booking, calendars, checkout, newsletter, outbox,
    staff, money_files, statements, mail_files, issue_previews, privacy, exports,
)  # fmt: skip
"""The exports of lists come last: their pattern would take other files for lists."""

PAGE_ROUTERS = (
    booking_pages, certificate_pages, comment_pages, contact_pages, course_pages, filtered_pages, learner_pages, naming_pages,
    newsletter_pages, order_pages, own_booking_pages, payment_pages, registration_pages, waiting_pages, webinar_pages,
)  # fmt: skip
"""Pages that a request fills, and the forms that pages post."""

_ANY = "*"
"""Instead of the first part of a path that is a parameter."""
_REFLEX_PATHS = ("/_", "/ping")
"""The socket, and what the development server asks for."""


class FieldProblem(BaseModel):
    """What is wrong with one field."""

    field: str
    message: str


class Problem(BaseModel):
    """The format of every error response."""

    message: str
    errors: list[FieldProblem] = []


def create_api() -> FastAPI:
    """The API as an ASGI application; run alone it also does the background work."""
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
    api.add_exception_handler(SiteError, _handle_site_error)
    api.add_exception_handler(SQLAlchemyError, _handle_database_error)
    api.add_exception_handler(RequestValidationError, _handle_validation_error)
    api.add_exception_handler(HTTPException, _handle_http_exception)
    api.add_middleware(LimitRequests, is_page=answers_page)
    api.add_middleware(CatchExceptions)
    return api


def in_front_of_reflex(reflex: ASGIApp) -> ASGIApp:
    """The API answers everything but what belongs to Reflex, so that unknown paths and methods get its error format."""
    api = create_api()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        belongs = str(scope.get("path", "")).startswith(_REFLEX_PATHS)
        await (reflex if belongs else api)(scope, receive, send)

    return app


def answers_page(scope: Scope) -> bool:
    """Whether a route of `PAGE_ROUTERS` answers this request."""
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    asked = {**scope, "method": method}
    routes = _page_routes()
    able = (*routes.get(_first_part(scope["path"]), ()), *routes[_ANY])
    return any(route.matches(asked)[0] is Match.FULL for route in able)


@cache
def _page_routes() -> Mapping[str, list[BaseRoute]]:
    """Routes of `PAGE_ROUTERS` by the first part of their paths: every request for a file asks for them."""
    found: dict[str, list[BaseRoute]] = {_ANY: []}
    for pages in PAGE_ROUTERS:
        for route in pages.routes:
            first = _first_part(getattr(route, "path", ""))
            found.setdefault(_ANY if first.startswith("{") else first, []).append(route)
    return found


def _first_part(path: str) -> str:
    return path.split("/", 2)[1] if path.startswith("/") else _ANY


@asynccontextmanager
async def _lifespan(_api: FastAPI) -> AsyncIterator[None]:
    async with export_traces(), run_jobs(), collect_rarely():
        yield


def _mount_simulator(api: FastAPI, now: Settings) -> None:
    if not now.simulator or now.mpesa_base_url:
        return
    # Imported only where it runs: production without the simulator never loads its code.
    from agency_site.mpesa.simulator import create_simulator
    from agency_site.mpesa.simulator.config import simulator_config_from

    api.mount(SIMULATOR_PATH, create_simulator(simulator_config_from(now)))


def problem(status: int, message: str, errors: list[dict[str, str]] | None = None) -> JSONResponse:
    """An error response; `errors` only where fields are invalid."""
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
    answer = problem(error.status, error.message, fields)
    answer.headers.update(retry)
    return answer


async def _handle_database_error(request: Request, error: Exception) -> Response:
    if not is_outage(error):
        raise error
    log.error("the database is away: %s", describe_outage(error))
    message = "We cannot reach our records for a moment. Please try again in a minute."
    headers = {"Retry-After": str(Unavailable.retry_after)}
    return error_response(request.scope, Unavailable.status, message, headers)


async def _handle_validation_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    if any(each["type"] == "json_invalid" for each in errors):
        return problem(422, "The body is not valid JSON.")
    # The first part says where: body, query, path or header. An error of the whole body belongs to no field.
    fields = [
        {"field": str(each["loc"][-1]), "message": str(each["msg"]).removeprefix("Value error, ")}
        for each in errors
        if len(each["loc"]) > 1
    ]
    return problem(422, "Please check the fields and try again.", fields)


async def _handle_http_exception(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = problem(error.status_code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer
