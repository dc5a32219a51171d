"""The contact form and the plan sign-up form as browsers post them without scripts."""

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.hosting import find_plan, plans
from agency_site.errors import NotFound
from agency_site.features.contact.page import FALLBACK, unknown_plan_note
from agency_site.features.contact.state import ContactForm, SignupForm, thank_for_signup
from agency_site.features.contact.view import contact_form, sent_message, signup_form
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from agency_site.site.layout.form_results import has_result, see_result
from agency_site.site.layout.served_pages import Posted, page_response, posted_page, published_page, see_other
from agency_site.ui.server_html import describe_states, new_state, render_html
from agency_site.visits.cookie import origin_of

pages = APIRouter(include_in_schema=False)

_UNKNOWN_PLAN = "unknown"
"""Marks the address of the first plan's page after a redirect from an unknown plan."""
_LIMITED = "limited"
"""The result of a form whose sender gets no acknowledgement."""


@pages.post("/contact")
async def post_message(request: Request, posted: Posted) -> Response:
    form = new_state(ContactForm)
    await form._send(posted, address_of(request), admit_post, origin_of(request))
    if form.failure:
        region = render_html(contact_form(form), posted)
        return posted_page(request, "/contact", {"contact": region}, states=describe_states(form))
    return _see_thanks("/contact/sent", form.note)


@pages.get("/contact/sent")
async def show_sent_message(request: Request) -> Response:
    return _sent_page(request, "/contact/sent", "Thank you for your message!")


@pages.get("/signup/{plan}")
async def show_signup(plan: str, request: Request) -> Response:
    """Serve the page of a plan. An unknown name leads to the first plan, whose page says so."""
    if find_plan(plan) is None:
        return see_other(f"/signup/{FALLBACK.slug}?{_UNKNOWN_PLAN}")
    if _UNKNOWN_PLAN not in request.query_params:
        return published_page(request)
    return page_response(request, f"/signup/{plan}", {"note": render_html(unknown_plan_note())})


@pages.post("/signup/{plan}")
async def post_signup(plan: str, request: Request, posted: Posted) -> Response:
    page_plan = find_plan(plan) or FALLBACK
    form = new_state(SignupForm)
    await form._sign_up(posted, address_of(request), admit_post, origin_of(request))
    if form.failure:
        region = render_html(signup_form(page_plan, form), posted)
        path = f"/signup/{page_plan.slug}"
        return posted_page(request, path, {"signup": region}, states=describe_states(form))
    return _see_thanks(f"/signup/{_chosen_slug(posted, page_plan.slug)}/sent", form.note)


@pages.get("/signup/{plan}/sent")
async def show_sent_signup(plan: str, request: Request) -> Response:
    chosen_plan = find_plan(plan)
    if chosen_plan is None:
        raise NotFound("There is no such page.")
    return _sent_page(request, f"/signup/{plan}/sent", thank_for_signup(chosen_plan.name))


def _sent_page(request: Request, path: str, thanks: str) -> Response:
    note = MAIL_LIMIT_NOTICE if has_result(request, _LIMITED) else ""
    return page_response(request, path, {"sent": render_html(sent_message(thanks, note))})


def _see_thanks(path: str, note: str) -> Response:
    return see_result(path, _LIMITED) if note else see_other(path)


def _chosen_slug(posted: Posted, default: str) -> str:
    """Return the slug of the plan that the form chose; it may differ from the page's plan."""
    return next((plan.slug for plan in plans() if plan.name == posted.get("plan")), default)
