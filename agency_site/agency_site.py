"""Composition root: the app, its pages, its HTTP edge, its background work."""

import reflex as rx
from starlette.types import ASGIApp

from agency_site.booking.page import ROUTES as BOOKING
from agency_site.checkout.page import ROUTES as CHECKOUT
from agency_site.comments.page import ROUTES as COMMENTS
from agency_site.comments.thread import OPEN, comment_count, comment_section
from agency_site.content.navigation import ALIASES
from agency_site.content.verify import Known, verify
from agency_site.enquiries.page import ROUTES as ENQUIRIES
from agency_site.layout.errors import NOT_FOUND, connection_line, error_boundary
from agency_site.layout.faults import fault_line, report_fault
from agency_site.layout.head import shared_head
from agency_site.layout.page import register
from agency_site.newsletter.page import ROUTES as NEWSLETTER
from agency_site.newsletter.view import footer_form, newsletter_box
from agency_site.office import office_screens
from agency_site.pages import pages
from agency_site.pages.parts import Parts
from agency_site.settings import settings
from agency_site.staff.shell import register_office
from agency_site.ui.icons import ICONS, SOCIAL
from agency_site.web.api import create_api
from agency_site.web.background import working
from agency_site.web.edge import serve_site
from agency_site.web.front import guarded
from agency_site.web.reconnecting import let_pages_return
from agency_site.web.stopping import finishing

settings().require_safe()
STYLES = ("tokens", "site", "home", "services", "academy", "articles", "studio", "legal", "adapted")

app = rx.App(
    html_lang="en-KE",
    stylesheets=[f"/styles/{name}.css" for name in STYLES],
    head_components=shared_head(),
    app_wraps={
        (55, "ErrorBoundary"): error_boundary,
        (5, "Overlay"): connection_line,
        (6, "Fault"): fault_line,
    },
    backend_exception_handler=report_fault,
    toaster=None,
    api_transformer=[create_api(), serve_site],
)
parts = Parts(newsletter_box, comment_count, comment_section, open_comments=OPEN)
routes = (*pages(parts), *BOOKING, *CHECKOUT, *COMMENTS, *ENQUIRIES, *NEWSLETTER, *NOT_FOUND)
verify(Known(pages={*map(str.lower, ALIASES), *(route.path for route in routes)}, icons={*ICONS, *SOCIAL}))
register(app, routes, newsletter=footer_form)
register_office(app, *office_screens())
let_pages_return(app)
app.register_lifespan_task(working)
app.register_lifespan_task(finishing)


def served() -> ASGIApp:
    """The whole site as the server runs it."""
    return guarded(app())
