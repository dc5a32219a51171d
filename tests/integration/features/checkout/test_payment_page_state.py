"""The state of the payment page: the handlers of one tab, called as the browser calls them."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from reflex.istate.data import ReflexURL, RouterData
from reflex.state import State

from agency_site.db.engine import session_scope
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.buying.usecases import confirm_free_place
from agency_site.features.checkout.orders.queries import find_order_token
from agency_site.features.checkout.orders.rules import PAYMENT_FAILED
from agency_site.features.checkout.payment_page.remembered_orders import parse_tokens
from agency_site.features.checkout.payment_page.state import PaymentPageState
from agency_site.features.checkout.payment_page.watched_order import NOT_FOUND, VALID
from agency_site.features.checkout.payments.rules import PaymentState
from tests.example_records import FREE_COURSE, OTHER_COURSE, PAID_COURSE
from tests.integration.features.checkout.conftest import PRICE, Shop, mails, orders, payments
from tests.integration.posted_forms import main_of

Configure = Callable[..., object]
FREE = FREE_COURSE.slug


async def confirm_newest() -> None:
    """Confirm the newest order of a free course by the link that its mail holds."""
    async with session_scope() as session:
        await confirm_free_place(session, find_order_token((await orders())[-1]) or "")


async def read(shop: Shop, link: str) -> str:
    """Return the content of a private order page."""
    return main_of((await shop.http.get(link)).text)


class Tab:
    """A browser tab: its states on the server, and what its browser stores."""

    def __init__(self) -> None:
        self.root = State(_reflex_internal_init=True)  # type: ignore[call-arg]
        self.state: PaymentPageState = self._state(PaymentPageState)

    def _state(self, kind: type[Any]) -> Any:
        return self.root.get_substate(kind.get_full_name().split("."))

    async def call(self, state: Any, handler: str, *arguments: object) -> None:
        """Run a handler to its end."""
        result = type(state).event_handlers[handler].fn(state, *arguments)
        if inspect.isasyncgen(result):
            async for _ in result:
                pass
        elif inspect.isawaitable(result):
            await result

    def _go(self, path: str) -> None:
        self.root.router = RouterData(url=ReflexURL(f"http://localhost{path}"))

    async def open(
        self, course: str = PAID_COURSE.slug, browser_orders: str | None = None
    ) -> PaymentPageState:
        """Load or reload `/payment`: the connection comes, and the page begins with what its address asks for."""
        self._go(f"/payment?course={course}")
        if browser_orders is not None:
            self.state.browser_orders = browser_orders
        self.state._opened_course = None
        await self.call(self.state, "begin", {})
        await self.call(self.state, "open_page")
        return self.state

    async def fill(self, last: str = "111", **fields: str) -> None:
        """Submit the main form."""
        form = {"firstName": "Amina", "lastName": "Odhiambo", "email": f"amina{last}@example.com"}
        await self.call(self.state, "submit", {**form, "phone": "0712 345 111", **fields})

    async def pay(self, last: str = "111", **fields: str) -> PaymentPageState:
        """Submit the main form, then the dialog with its phone."""
        await self.fill(last, **fields)
        await self.call(self.state, "pay", {"mpesaPhone": f"712 345 {last}"})
        return self.state

    async def look(self, shop: Shop, times: int = 1) -> PaymentPageState:
        """Let the page look so many times once M-Pesa has nothing more to say."""
        await shop.control.settled()
        for _ in range(times):
            await self.call(self.state, "poll")
        return self.state


async def test_a_paid_order_takes_the_place_of_the_form_after_a_reload_and_in_other_tabs(shop: Shop) -> None:
    tab = Tab()
    await tab.open()
    state = await tab.pay()
    assert (state.modal, state.polling, state.shows_order, state.stage) == (True, True, True, Stage.WAITING)
    await tab.look(shop)
    assert (state.message, state.tone, state.polling) == (VALID, "success", False)
    await tab.call(state, "dismiss")
    for seen in (state, await tab.open(), await Tab().open(browser_orders=state.browser_orders)):
        assert (seen.stage, seen.shows_order, seen.modal) == (Stage.ENROLLED, True, False)
        assert (seen.reference, seen.order_link) == (state.reference, state.order_link)
        # A click that was on its way sends nothing.
        await tab.call(seen, "submit", {"email": "amina111@example.com"})
        await tab.call(seen, "pay", {"mpesaPhone": "712 345 112"})
    assert (len(await orders()), await shop.charged()) == (1, PRICE)


async def test_another_order_for_a_paid_course_is_placed_on_purpose_and_starts_at_one_place(
    shop: Shop,
) -> None:
    tab = Tab()
    await tab.open()
    await tab.call(tab.state, "more")
    await tab.pay()
    state = await tab.look(shop)
    first = state.reference
    await tab.call(state, "order_again")
    assert (state.shows_order, state.previous, state.quantity, state.modal) == (False, first, "1", False)
    await tab.call(state, "keep_order")
    assert (state.shows_order, state.reference, len(await orders())) == (True, first, 1)
    await tab.call(state, "order_again")
    await tab.pay(last="112", email="amina111@example.com")
    await tab.look(shop)
    assert (state.stage, state.previous) == (Stage.ENROLLED, "")
    assert [order.previous_order_id for order in await orders()] == [None, (await orders())[0].id]
    assert [order.quantity for order in await orders()] == [2, 1]


async def test_the_link_of_an_orders_page_without_scripts_opens_the_form_for_another_order(
    shop: Shop,
) -> None:
    tab = Tab()
    await tab.open()
    await tab.pay()
    state = await tab.look(shop)
    reference = state.reference
    await tab.open(f"{PAID_COURSE.slug}&after={reference}")
    assert (state.shows_order, state.previous) == (False, reference)
    await tab.open(f"{PAID_COURSE.slug}&after=EN-7F3K9Q")
    assert (state.shows_order, state.previous) == (True, "")


async def test_an_open_outcome_stays_in_the_forms_place_and_can_be_checked_again(shop: Shop) -> None:
    tab = Tab()
    await tab.open()
    await shop.control.post("next", hold=True)
    state = await tab.pay()
    for _ in range(10):
        assert state.polling
        await tab.call(state, "poll")
    assert (state.message, state.polling, state.shows_order) == (NOT_FOUND, False, True)
    await tab.call(state, "dismiss")
    assert (state.message, state.shows_order) == (NOT_FOUND, True)
    await shop.control.post("answer", checkout_request_id=(await payments())[0].checkout_request_id)
    await tab.call(state, "check_again")
    await tab.look(shop)
    assert (state.message, state.stage) == (VALID, Stage.ENROLLED)


async def test_a_request_without_an_answer_hides_the_number_until_another_try_is_safe(
    shop: Shop, configure: Configure
) -> None:
    configure(mpesa_read_timeout_seconds=0.3, mpesa_pull_transactions="on")
    tab = Tab()
    await tab.open()
    state = await tab.pay("503")
    assert (state.message, state.tone, state.shows_order, state.polling) == (
        PAYMENT_FAILED,
        "error",
        True,
        False,
    )
    assert "do not pay again yet" in state.explanation
    await shop.later(91)
    assert state.shows_order
    assert "/retry" not in await read(shop, state.order_link)
    # M-Pesa's books surely show no payment.
    await shop.later(2800)
    await tab.call(state, "check_again")
    await tab.look(shop)
    assert (state.message, state.stage, state.shows_order) == (PAYMENT_FAILED, Stage.PAYABLE, False)
    page = await read(shop, state.order_link)
    assert "No payment has arrived</h1>" in page
    assert ("/retry" in page, "data-refresh" in page, "do not pay" in page) == (True, False, False)


async def test_a_payment_under_review_is_shown_at_once_on_both_pages(shop: Shop) -> None:
    tab = Tab()
    await tab.open()
    state = await tab.pay("900")
    await tab.look(shop)
    assert (state.message, state.stage, state.polling) == (NOT_FOUND, Stage.REVIEW, False)
    assert "our staff are checking it" in state.explanation
    page = await read(shop, state.order_link)
    assert "Our staff are checking your payment</h1>" in page
    assert "/retry" not in page


async def test_after_a_refusal_the_same_order_is_tried_again_from_the_dialog(shop: Shop) -> None:
    tab = Tab()
    await tab.open()
    state = await tab.pay("032")
    await tab.look(shop)
    assert (state.message, state.shows_order, state.modal) == (PAYMENT_FAILED, False, True)
    await tab.call(state, "pay", {"mpesaPhone": "712 345 111"})
    await tab.look(shop)
    assert (state.message, len(await orders()), await shop.charged()) == (VALID, 1, PRICE)


async def test_the_next_course_begins_with_an_empty_form_and_the_first_order_is_still_known(
    shop: Shop,
) -> None:
    tab = Tab()
    await tab.open()
    await tab.call(tab.state, "more")
    await tab.pay()
    state = await tab.look(shop)
    await tab.open(OTHER_COURSE.slug)
    assert (state.modal, state.message, state.stage, state.shows_order, state.quantity) == (
        False,
        "",
        "",
        False,
        "1",
    )
    assert (state.other_reference, state.known_number) == ((await orders())[0].reference, "")
    await tab.call(state, "pay", {"mpesaPhone": "712 345 112"})
    assert len(await orders()) == 1
    await tab.call(state, "choose_course", PAID_COURSE.slug)
    assert state.stage == Stage.ENROLLED


async def test_a_stranger_sees_the_conflict_beside_the_address_and_a_known_order_can_be_followed_by_another(
    shop: Shop,
) -> None:
    await shop.paid()
    stranger = Tab()
    await stranger.open()
    state = await stranger.pay()
    assert (state.modal, state.shows_order, state.order_link) == (False, False, "")
    assert "We have sent an e-mail to this address" in state.errors["email"]
    assert "order-exists" in await mails()
    # The owner opens the link from the mail: it leads to a form for another order.
    page = await read(shop, f"/order/{find_order_token((await orders())[0])}")
    reference = (await orders())[0].reference
    assert f'href="/payment?course={PAID_COURSE.slug}&amp;after={reference}"' in page
    owner = Tab()
    assert (await owner.open(f"{PAID_COURSE.slug}&after={reference}")).previous == reference
    await owner.pay(last="112", email="amina111@example.com")
    await owner.look(shop)
    assert (owner.state.stage, len(await orders())) == (Stage.ENROLLED, 2)


async def test_the_order_of_this_tab_is_shown_when_something_else_is_ordered_for_the_course(
    shop: Shop,
) -> None:
    first, second = Tab(), Tab()
    await first.open()
    await second.open()
    await shop.control.post("next", hold=True)
    await first.pay()
    # The other tab was opened before, and the browser has passed it on since.
    second.state.browser_orders = first.state.browser_orders
    state = await second.pay("112", email="amina111@example.com")
    assert (state.shows_order, state.stage, state.reference) == (True, Stage.WAITING, first.state.reference)
    assert len(await payments()) == 1


async def test_too_many_prompts_show_an_error_beside_the_phone_field(shop: Shop) -> None:
    for number in range(3):
        await shop.paid(email=f"a{number}@example.com")
    tab = Tab()
    await tab.open()
    state = await tab.pay()
    assert (state.message, state.modal, state.shows_order) == (PAYMENT_FAILED, True, False)
    assert "as many M-Pesa requests" in state.number_error
    assert len(await orders()) == 3


async def test_a_free_course_sends_the_visitor_to_the_mailbox(shop: Shop) -> None:
    tab = Tab()
    state = await tab.open(FREE)
    await tab.fill()
    await tab.fill()
    assert (state.message, state.stage, state.order_link) == ("Check your e-mail", "", "")
    assert "confirm your place" in state.explanation
    assert len(await orders()) == 1


@pytest.mark.parametrize("lost", [True, False])
async def test_the_token_of_a_response_that_a_cut_lost_is_stored_again(shop: Shop, lost: bool) -> None:
    tab = Tab()
    await tab.open()
    state = await tab.pay("032")
    await tab.look(shop)
    alert = (state.message, state.explanation)
    if lost:
        state.browser_orders = ""
    await tab.call(state, "open_page")
    assert (state.message, state.explanation) == alert
    assert parse_tokens(state.browser_orders)[PAID_COURSE.slug] in state.order_link
    assert [payment.state for payment in await payments()] == [PaymentState.CANCELLED]


@pytest.mark.parametrize(
    ("value", "quantity", "total", "error"),
    [
        ("3", "3", "KES 45,000", ""),
        ("", "", "", ""),
        ("0", "1", "KES 15,000", ""),
        (-3, "1", "KES 15,000", ""),
        ("2.5", "2.5", "", "number of places"),
        ("17", "17", "KES 255,000", "At most 16 places fit"),
        ("99999999", "99999999", "", "At most 16 places fit"),
        ("9" * 40, "9" * 20, "", "At most 16 places fit"),
        ("١٢", "١٢", "KES 180,000", ""),
    ],
)
async def test_the_typed_quantity_stays_and_its_error_is_beside_its_field(
    shop: Shop, value: object, quantity: str, total: str, error: str
) -> None:
    tab = Tab()
    state = await tab.open()
    await tab.call(state, "choose_quantity", value)
    assert (state.quantity, state.total) == (quantity, total)
    assert error in state.errors.get("quantity", "")
    assert bool(error) == ("quantity" in state.errors)
    await tab.fill()
    assert state.modal == (total != "" and not error)
