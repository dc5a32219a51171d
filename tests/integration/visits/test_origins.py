"""Each record of a visitor stores the origin of the visit, from forms, handlers and the HTTP API; repeats keep the first one."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from reflex.istate.data import HeaderData, ReflexURL, RouterData
from reflex.state import State
from sqlmodel import SQLModel, col, select

from agency_site.db.engine import read_scope
from agency_site.features.booking.booking_page.state import BookingForm
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payment_page.state import PaymentPageState
from agency_site.features.contact.state import ContactForm, SignupForm
from agency_site.features.contact.tables import Enquiry
from agency_site.features.newsletter.state import FooterNewsletter, NewsletterForm
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.webinars.state import RegistrationForm
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.settings import Settings
from agency_site.visits.cookie import write_cookie
from agency_site.visits.rules import NO_ORIGIN, Origin
from agency_site.visits.tables import WithOrigin
from tests.example_records import FREE_COURSE, WEBINAR
from tests.integration.features.booking.test_posted_forms import DETAILS, book, open_day
from tests.integration.features.contact.enquiries import MESSAGE, SIGNUP
from tests.integration.features.newsletter.readers import AMINA
from tests.integration.features.webinars.test_registrations import FORM
from tests.integration.posted_forms import stamped

Configure = Callable[..., Settings]
SPRING = Origin("google", "cpc", "spring sale", "/web-design")
OTHER = Origin("facebook.com", "", "", "/")
FREE = {
    "course": FREE_COURSE.slug, "firstName": "Amina", "lastName": "Odhiambo", "email": "amina@example.com",
    "phone": "0712 345 111", "quantity": "1", "client": "c" * 32,
}  # fmt: skip
SUBSCRIPTION = {"source": "newsletter", "email": AMINA, "consent": "on", "interest-seo": "on"}

pytestmark = pytest.mark.usefixtures("noon", "no_fill_time", "fresh_limits")


def cookie_of(origin: Origin) -> str:
    return write_cookie(origin).partition(";")[0]


async def origins(table: type[SQLModel]) -> list[Origin]:
    """The origins of all rows, oldest first."""
    async with read_scope() as session:
        rows: list[Any] = list(await session.exec(select(table).order_by(col(table.id))))  # type: ignore[attr-defined]
    return [row.origin for row in rows]


Post = Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]


def post_to(path: str, fields: dict[str, str]) -> Post:
    return lambda visitor: visitor.post(path, data=stamped(fields))


async def post_booking_json(visitor: httpx.AsyncClient) -> httpx.Response:
    day, times = await open_day(visitor)
    return await visitor.post("/api/book", json={**DETAILS, "date": day, "time": times[0]})


POSTS: dict[str, tuple[type[WithOrigin], Post]] = {
    "booking": (Booking, book),
    "booking over the API": (Booking, post_booking_json),
    "order": (Order, post_to("/payment", FREE)),
    "enquiry": (Enquiry, post_to("/contact", MESSAGE)),
    "sign-up": (Enquiry, post_to("/signup/growth", SIGNUP)),
    "registration": (WebinarRegistration, post_to(f"/webinar/{WEBINAR.id}", FORM)),
    "subscription in the footer": (Subscriber, post_to("/newsletter/subscribe", {"source": "footer", "email": AMINA})),
    "subscription": (Subscriber, post_to("/newsletter/subscribe", SUBSCRIPTION)),
}  # fmt: skip


@pytest.mark.each_database
@pytest.mark.parametrize(("table", "post"), POSTS.values(), ids=POSTS)
async def test_a_posted_form_stores_the_origin(
    visitor: httpx.AsyncClient, table: type[WithOrigin], post: Post
) -> None:
    visitor.headers["Cookie"] = f"other=1; {cookie_of(SPRING)}"
    assert (await post(visitor)).is_error is False
    assert await origins(table) == [SPRING]


@pytest.mark.parametrize(("table", "post"), POSTS.values(), ids=POSTS)
async def test_a_form_without_the_cookie_stores_no_origin(
    visitor: httpx.AsyncClient, table: type[WithOrigin], post: Post
) -> None:
    visitor.headers["Cookie"] = "visit=<script>; visitor=1"
    assert (await post(visitor)).is_error is False
    assert await origins(table) == [NO_ORIGIN]


async def test_with_global_privacy_control_a_form_stores_no_origin(visitor: httpx.AsyncClient) -> None:
    visitor.headers.update({"Cookie": cookie_of(SPRING), "Sec-GPC": "1"})
    assert (await post_to("/contact", MESSAGE)(visitor)).is_error is False
    assert await origins(Enquiry) == [NO_ORIGIN]


@pytest.mark.parametrize(("table", "post"), POSTS.values(), ids=POSTS)
async def test_with_the_setting_off_a_form_stores_no_origin(
    visitor: httpx.AsyncClient, configure: Configure, table: type[WithOrigin], post: Post
) -> None:
    configure(visits=False)
    visitor.headers["Cookie"] = cookie_of(SPRING)
    assert (await post(visitor)).is_error is False
    assert await origins(table) == [NO_ORIGIN]


@pytest.mark.parametrize(
    ("table", "post"),
    [parts for name, parts in POSTS.items() if "booking" not in name],
    ids=[name for name in POSTS if "booking" not in name],
)
async def test_a_repeated_form_keeps_the_first_origin(
    visitor: httpx.AsyncClient, table: type[WithOrigin], post: Post
) -> None:
    for origin in (SPRING, OTHER):
        visitor.headers["Cookie"] = cookie_of(origin)
        assert (await post(visitor)).is_error is False
    assert await origins(table) == [SPRING]


async def test_a_repeated_booking_keeps_the_first_origin(visitor: httpx.AsyncClient) -> None:
    day, times = await open_day(visitor)
    for origin in (SPRING, OTHER):
        visitor.headers["Cookie"] = cookie_of(origin)
        assert (await book(visitor, date=day, time=times[0])).status_code == 303
    assert await origins(Booking) == [SPRING]


async def test_the_api_takes_no_origin_from_a_body(visitor: httpx.AsyncClient) -> None:
    day, times = await open_day(visitor)
    claims = {"origin": "evil", "_origin": "evil", "visit_source": "evil"}
    answer = await visitor.post("/api/book", json={**DETAILS, **claims, "date": day, "time": times[0]})
    assert answer.status_code == 201
    assert await origins(Booking) == [NO_ORIGIN]


class Tab:
    """A browser tab whose socket was opened with a cookie."""

    def __init__(self, cookie: str, path: str) -> None:
        self.root = State(_reflex_internal_init=True)  # type: ignore[call-arg]
        self.root.router = RouterData(
            headers=HeaderData(cookie=cookie), url=ReflexURL(f"http://localhost{path}")
        )

    async def call(self, kind: type[Any], handler: str, *arguments: object) -> Any:
        """Run a handler to its end; return its state."""
        state = self.root.get_substate(kind.get_full_name().split("."))
        result = kind.event_handlers[handler].fn(state, *arguments)
        if inspect.isasyncgen(result):
            async for _ in result:
                pass
        elif inspect.isawaitable(result):
            await result
        return state


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("table", "form", "path", "fields"),
    [
        (Enquiry, ContactForm, "/contact", MESSAGE),
        (Enquiry, SignupForm, "/signup/growth", SIGNUP),
        (WebinarRegistration, RegistrationForm, f"/webinar/{WEBINAR.id}", FORM),
        (Subscriber, FooterNewsletter, "/", {"email": AMINA}),
        (Subscriber, NewsletterForm, "/newsletter", SUBSCRIPTION),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)  # fmt: skip
async def test_a_handler_stores_the_origin_of_its_socket(
    table: type[WithOrigin], form: type[Any], path: str, fields: dict[str, str]
) -> None:
    await Tab(cookie_of(SPRING), path).call(form, "submit", fields)
    assert await origins(table) == [SPRING]


async def test_the_handler_of_the_booking_page_stores_the_origin_of_its_socket(
    visitor: httpx.AsyncClient,
) -> None:
    day, times = await open_day(visitor)
    tab = Tab(cookie_of(SPRING), "/book")
    await tab.call(BookingForm, "submit", {**DETAILS, "date": day, "time": times[0]})
    assert await origins(Booking) == [SPRING]


@pytest.mark.usefixtures("database")
async def test_the_handlers_of_the_payment_page_store_the_origin_of_their_socket() -> None:
    tab = Tab(cookie_of(SPRING), f"/payment?course={FREE_COURSE.slug}")
    await tab.call(PaymentPageState, "begin", {})
    await tab.call(PaymentPageState, "open_page")
    await tab.call(PaymentPageState, "submit", FREE)
    assert await origins(Order) == [SPRING]
