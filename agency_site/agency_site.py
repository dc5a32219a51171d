"""Composition root: the app, its pages, its HTTP edge, its background work."""

from functools import partial

import reflex as rx
from starlette.types import ASGIApp

from agency_site.backoffice.shell import register_back_office
from agency_site.content.link_targets import know_pages
from agency_site.content.navigation import ALIASES
from agency_site.content.verify import Targets, verify
from agency_site.features.booking.page import booking_route
from agency_site.features.checkout.page import ROUTES as CHECKOUT
from agency_site.features.comments.view import comment_count, comment_regions, comment_section
from agency_site.features.contact.page import enquiry_routes
from agency_site.features.editing.entries.addresses import reserve_paths
from agency_site.features.newsletter.page import ROUTES as NEWSLETTER
from agency_site.features.newsletter.view import footer_form, newsletter_box
from agency_site.features.webinars.page import webinar_routes
from agency_site.settings import ROOT, settings
from agency_site.site import pages
from agency_site.site.feature_elements import Parts
from agency_site.site.layout.error_pages import NOT_FOUND, connection_line, error_boundary
from agency_site.site.layout.head import shared_head
from agency_site.site.layout.page import page_name_until_hydrated, register
from agency_site.site.layout.path_rules import RULED_PATHS
from agency_site.site.layout.route import Route
from agency_site.staff_application import back_office_groups
from agency_site.tracing import export_traces
from agency_site.ui.error_reports import error_report_line, report_browser_error, report_handler_error
from agency_site.ui.icons import ICONS, SOCIAL
from agency_site.web.middleware.request_ids import event_attributes
from agency_site.web.middleware.socket_messages import Handlers
from agency_site.web.middleware.sockets import CheckSocketMessages
from agency_site.web.middleware.stack import with_middleware
from agency_site.web.reflex_internals.event_queue import limit_queues
from agency_site.web.reflex_internals.event_traces import trace_events
from agency_site.web.reflex_internals.reconnection import keep_state_on_reconnect
from agency_site.web.reflex_internals.states import all_handlers, stored_fields
from agency_site.web.reflex_internals.tab_states import limit_disconnected_tabs
from agency_site.web.serving.api import in_front_of_reflex
from agency_site.web.serving.edge import serve_site
from agency_site.web.serving.garbage import collect_rarely
from agency_site.web.serving.jobs import run_jobs
from agency_site.web.serving.metrics_page import report_redis
from agency_site.web.serving.shutdown import finish_events

settings().require_safe()
STYLES = ("tokens", "site", "home", "services", "academy", "articles", "studio", "legal", "adapted")

parts = Parts(newsletter_box, comment_count, comment_section, comment_regions)


def list_public_folders() -> tuple[str, ...]:
    """Return the paths of the folders whose files the site serves."""
    return ("/assets", *(f"/{path.name}" for path in (ROOT / "assets").iterdir()))


def site_routes() -> tuple[Route, ...]:
    """Return the public pages with the content of this moment."""
    return (
        *pages(parts),
        booking_route(),
        *CHECKOUT,
        *enquiry_routes(),
        *webinar_routes(),
        *NEWSLETTER,
        *NOT_FOUND,
    )


app = rx.App(
    html_lang="en-KE",
    stylesheets=[f"/styles/{name}.css" for name in STYLES],
    head_components=shared_head(),
    app_wraps={
        (55, "ErrorBoundary"): error_boundary,
        (5, "Overlay"): connection_line,
        (6, "ErrorReport"): error_report_line,
    },
    backend_exception_handler=report_handler_error,
    frontend_exception_handler=report_browser_error,
    toaster=None,
    hydrate_fallback=page_name_until_hydrated,
    api_transformer=[in_front_of_reflex, partial(serve_site, routes=site_routes, newsletter=footer_form)],
)
routes = site_routes()
reserve_paths((*ALIASES, *(route.path for route in routes), *RULED_PATHS, *list_public_folders()))
know_pages(pages_of_site := {*map(str.lower, ALIASES), *(route.path for route in routes)})
verify(Targets(pages=pages_of_site, icons={*ICONS, *SOCIAL}))
register(app, routes, newsletter=footer_form)
register_back_office(app, *back_office_groups())
keep_state_on_reconnect(app)
limit_disconnected_tabs(app)
limit_queues(app)
report_redis(app)
# Tasks end in reverse order: tracing begins first, so that it still traces jobs and events that finish.
app.register_lifespan_task(export_traces)
app.register_lifespan_task(trace_events, attributes=event_attributes)
app.register_lifespan_task(run_jobs)
app.register_lifespan_task(finish_events)
app.register_lifespan_task(collect_rarely)


def create_site() -> ASGIApp:
    """Return the site as the server runs it, with its middleware."""
    site = app()
    return with_middleware(CheckSocketMessages(site, Handlers(all_handlers(), stored_fields())))
