"""The routes of the payment page: its served HTML, and the forms that browsers post without scripts."""

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.courses import course_by_slug
from agency_site.content.published import kept_until_changed
from agency_site.features.checkout.payment_page.course_choice import PATIENCE_SECONDS
from agency_site.features.checkout.payment_page.state import MAILBOX, NUMBER, PaymentPageState, new_client
from agency_site.features.checkout.payment_page.view import BACK, number_panels, payment_panels
from agency_site.places import Offer
from agency_site.site.academy.open_runs import read_offers
from agency_site.site.layout.served_pages import Drawing, Posted, page_response, posted_page, see_other
from agency_site.ui.server_html import describe_states, new_state, render_html
from agency_site.visits.cookie import origin_of

pages = APIRouter(include_in_schema=False)

_PATH, _REGION = "/payment", "payment"
_ANY_CLIENT = "client-of-this-visitor"
"""Placeholder in the cached form for the secret of each visitor's form (`PaymentPageState.client`)."""


@pages.get(_PATH)
async def show_payment_page(request: Request, course: str = "", after: str = "", place: str = "") -> Response:
    """Show the form. `after` is the order after which another one is placed, `place` the token of a place that a waiting list
    keeps."""
    if after or place:
        state = new_state(PaymentPageState)
        state._open_without_scripts(course, after, place=place)
        await state._load_runs()
        drawing = _draw(state)
        return page_response(request, _PATH, drawing.regions, states=drawing.states)
    chosen = course_by_slug(course)
    offers = await read_offers(PATIENCE_SECONDS, chosen.slug) if chosen else ()
    form, client = _draw_untouched(chosen.slug if chosen else "", offers), new_client()
    region, states = (text.replace(_ANY_CLIENT, client) for text in (form.regions[_REGION], form.states))
    return page_response(request, _PATH, {_REGION: region}, states=states)


@kept_until_changed(64)
def _draw_untouched(slug: str, offers: tuple[Offer, ...] | None) -> Drawing:
    """Draw the empty form. It is the same for all visitors, so it is drawn once until the course's runs change."""
    state = new_state(PaymentPageState)
    state._open_without_scripts(slug, "", _ANY_CLIENT)
    state._show_runs(offers)
    return _draw(state)


def _draw(state: PaymentPageState, posted: Posted | None = None) -> Drawing:
    return Drawing({_REGION: render_html(payment_panels(state), posted)}, describe_states(state))


@pages.post(_PATH)
async def post_payment(request: Request, posted: Posted) -> Response:
    """Answer the main form with the form for the M-Pesa number, and that with the order's page. Each post has all details."""
    state = new_state(PaymentPageState)
    state._read_posted(posted)
    if BACK in posted:
        await state._load_runs()
        return _answer(request, state, posted, 200)
    if NUMBER in posted:
        state.modal = True
        await state._pay(posted, address_of(request), admit_post, origin_of(request))
        status = 422
    else:
        await state._check(posted, address_of(request), admit_post, origin_of(request))
        status = 200 if state.modal or state.message == MAILBOX else 422
    return see_other(state.order_link) if state.order_link else _answer(request, state, posted, status)


def _answer(request: Request, state: PaymentPageState, posted: Posted, status: int) -> Response:
    if state.modal:
        # React shows this form in a dialog, and does not take this page over.
        return posted_page(
            request, _PATH, {_REGION: render_html(number_panels(state), posted)}, status=status
        )
    drawing = _draw(state, posted)
    return posted_page(request, _PATH, drawing.regions, states=drawing.states, status=status)
