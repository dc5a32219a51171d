"""The part of the payment page's state that finds the visitor's order and follows its payment."""

import reflex as rx

from agency_site.db.engine import read_scope
from agency_site.db.outages import is_outage
from agency_site.errors import NotFound
from agency_site.features.checkout.buying.order_status import (
    OrderView,
    Stage,
    choose_heading,
    choose_tone,
    find_order,
)
from agency_site.features.checkout.orders.rules import PAYMENT_FAILED
from agency_site.features.checkout.payment_page.course_choice import CourseChoice
from agency_site.features.checkout.payment_page.remembered_orders import add_token, parse_tokens, remove_token
from agency_site.features.checkout.payments.messages import AWAY, GAVE_UP
from agency_site.settings import settings

VALID, NOT_FOUND = "payment valid", "payment not found"
"""Exact texts of the alerts that end the wait (specification, section 8)."""
ORDERS_KEY = "agency-orders"
"""The key under which a browser stores the tokens of its orders."""
_AWAY = f"{AWAY} Please do not pay again meanwhile."
_SHOWN_STAGES = frozenset({Stage.WAITING, Stage.REVIEW, Stage.ENROLLED})
"""Stages of a stored order in which the page shows the order instead of its form. With money in it, an order is always shown."""


class WatchedOrder(CourseChoice, mixin=True):
    """The visitor's order for the chosen course as it is stored, and the polling of its payment."""

    stage: rx.Field[str] = rx.field("")
    """The stored order's `Stage`; empty if there is no order."""
    heading: rx.Field[str] = rx.field("")
    reference: rx.Field[str] = rx.field("")
    order_link: rx.Field[str] = rx.field("")
    tone: rx.Field[str] = rx.field("info")
    message: rx.Field[str] = rx.field("")
    """The exact text of the last alert."""
    explanation: rx.Field[str] = rx.field("")
    focuses_order: rx.Field[bool] = rx.field(False)
    """Whether focus moves to the order: it has just replaced the form, so the focused control is hidden."""
    previous: rx.Field[str] = rx.field("")
    """Reference of the order after which another one is placed on purpose; empty if there is none."""
    polling: rx.Field[bool] = rx.field(False)
    poll_ms: rx.Field[int] = rx.field(3000)
    browser_orders: str = rx.LocalStorage("", name=ORDERS_KEY, sync=True)
    """Tokens of this browser's orders by course (`parse_tokens`), the same in all its tabs."""
    other_reference: rx.Field[str] = rx.field("")
    """The newest order of this browser, if it is for another course."""
    other_link: rx.Field[str] = rx.field("")

    _tokens: dict[str, str] = {}
    """Tokens of the orders created in this tab, by course: the response with one may not have reached the browser."""
    _token: str = ""
    """Token of the shown order."""
    _polls: int = 0
    _has_part: bool = False
    """Whether a part of the price of the shown order has arrived, and was not returned."""

    @rx.var
    def shows_order(self) -> bool:
        """Return whether the page shows the stored order instead of its form."""
        return (self.stage in _SHOWN_STAGES or self._has_part) and not self.previous

    def _reset_order(self) -> None:
        self.stage = self.heading = self.reference = self.order_link = self.message = self.explanation = ""
        self.previous = self._token = ""
        self.polling = self.focuses_order = self._has_part = False

    def _restore_tokens(self) -> None:
        """Store the tokens that this tab has and the browser lacks."""
        for slug, token in self._tokens.items():
            if slug not in parse_tokens(self.browser_orders):
                self.browser_orders = add_token(self.browser_orders, slug, token)

    async def _show_newest_order(self) -> None:
        """Show the newest order for the course whose token this browser or this tab has."""
        tokens = {parse_tokens(self.browser_orders).get(self.slug, ""), self._tokens.get(self.slug, "")}
        orders = [(view, token) for token in tokens if token and (view := await self._find_order(token))]
        if orders:
            view, self._token = max(orders, key=lambda order: order[0].created_at)
            self._show(view)
            self.browser_orders = add_token(self.browser_orders, self.slug, self._token)
        elif any(tokens):
            self.browser_orders = remove_token(self.browser_orders, self.slug)
        await self._find_other_order()

    async def _find_other_order(self) -> None:
        self.other_reference = self.other_link = ""
        slug, token = next(reversed(parse_tokens(self.browser_orders).items()), ("", ""))
        view = await self._find_order(token) if token and slug != self.slug else None
        if view is not None:
            self.other_reference, self.other_link = view.reference, f"/order/{token}"

    async def _find_order(self, token: str) -> OrderView | None:
        try:
            async with read_scope() as session:
                return await find_order(session, token)
        except NotFound:
            return None

    async def _remember(self, reference: str, token: str) -> OrderView | None:
        """Store the order's token in this browser and show the order, or return None if its link cannot be derived."""
        self.reference, self.order_link, self.previous, self._token = reference, "", "", token
        if token:
            self._tokens = {**self._tokens, self.slug: token}
            self.browser_orders = add_token(self.browser_orders, self.slug, token)
        try:
            view = await self._find_order(token) if token else None
        except Exception as error:
            if not is_outage(error):
                raise
            self.polling = True
            return None
        if view is not None:
            self._show(view)
        return view

    def _show(self, view: OrderView) -> None:
        self.stage, self.tone = view.stage.value, choose_tone(view)
        self.heading = choose_heading(view)
        if view.stage is Stage.ENROLLED:
            self.heading = f"{self.heading} in {view.course_name}"
        self.reference, self.order_link = view.reference, f"/order/{self._token}"
        self._unpaid_run = view.run.reference if view.run and view.stage is Stage.PAYABLE else ""
        self._has_part = view.has_part and view.stage is not Stage.REFUNDED
        self.message, self.explanation = "", view.detail
        self.polling, self._polls = view.stage is Stage.WAITING, 0

    def _alert(self, tone: str, message: str, explanation: str) -> None:
        self.tone, self.message, self.explanation = tone, message, explanation

    @rx.event
    async def poll(self) -> None:
        """Read the stored order, at most ten times (readings, 19)."""
        if not self.polling:
            return
        try:
            view = await self._find_order(self._token)
        except Exception as error:
            if not is_outage(error):
                raise
            self._alert("info", "One moment, please", _AWAY)
            return
        if view is not None and (not self.stage or self.explanation == _AWAY):
            self._show(view)
            self._alert("info", "Checking again", GAVE_UP)
        self._polls += 1
        if view is None or view.stage is Stage.WAITING:
            if self._polls >= settings().payment_poll_retries:
                self.polling = False
                self._alert("info", NOT_FOUND, GAVE_UP)
            return
        self._show(view)
        self._announce_result(view)

    def _announce_result(self, view: OrderView) -> None:
        """Show the result of the wait in the texts of the specification."""
        if view.stage is Stage.ENROLLED:
            self._alert("success", VALID, view.detail)
        elif view.stage is Stage.REVIEW:
            self._alert("info", NOT_FOUND, view.detail)
        else:
            self._alert("error", PAYMENT_FAILED, view.detail)

    @rx.event
    def check_again(self) -> None:
        """Poll for another round."""
        if self._token and self.stage in (Stage.WAITING, Stage.REVIEW):
            self.polling, self._polls = True, 0
            self._alert("info", "Checking again", GAVE_UP)
