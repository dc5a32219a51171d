"""Whatever reaches a public form is accepted, or refused with messages beside its fields; nothing else ever happens."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from agency_site.content.articles import ARTICLES
from agency_site.content.courses import payment_list
from agency_site.content.webinars import upcoming
from agency_site.errors import InputRejected, rejection
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.checkout.orders.request import CheckoutRequest, Enrollee, parse_contact_phone
from agency_site.features.comments.request import CommentRequest
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.newsletter import api as newsletter
from agency_site.features.newsletter.request import ConsentedSubscription, Subscription, read_interests
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.form_input import read_form
from agency_site.request_body import read_form_fields
from agency_site.ui.forms import submitted
from tests.example_records import FREE_COURSE

Form = Mapping[str, Any]


def _parse(model: type[BaseModel], form: Form) -> Any:
    try:
        return model.model_validate(dict(form))
    except ValidationError as invalid:
        raise rejection("Please check the marked fields.", invalid) from None


def _paying(form: Form) -> None:
    request = _parse(CheckoutRequest, form)
    request.quote(250_000)
    request.payer()


READERS: dict[str, tuple[Callable[[Form], object], Form]] = {
    "booking": (
        lambda form: _parse(BookingRequest, form),
        {"fullname": "Amina", "emailaddress": "amina@shop.example", "phonenumber": "0712 345 678", "message": "",
         "date": "2026-11-24", "time": "09:00"},
    ),
    "payment": (
        _paying,
        {"firstName": "Amina", "lastName": "Odhiambo", "email": "amina@shop.example", "phone": "0712 345 678",
         "courseName": payment_list()[0].payment_name, "amount": payment_list()[0].payment_price, "quantity": 1},
    ),
    "free course": (
        lambda form: _parse(Enrollee, form).course(),
        {"firstName": "Amina", "lastName": "Odhiambo", "email": "amina@shop.example", "phone": "0712 345 678",
         "courseName": FREE_COURSE.payment_name},
    ),
    "contact number": (lambda form: parse_contact_phone(submitted(dict(form)).get("phone", "")), {"phone": "0712 345 678"}),
    "message": (
        partial(read_form, ContactMessage),
        {"name": "Amina", "email": "amina@shop.example", "subject": "Prices", "message": "How much?"},
    ),
    "sign-up": (
        partial(read_form, PlanSignup),
        {"fullName": "Amina", "email": "amina@shop.example", "phone": "0712 345 678", "domainType": "new",
         "domainName": "shop.co.ke", "plan": "Growth"},
    ),
    "webinar": (
        partial(read_form, RegistrationRequest),
        {"webinar": upcoming()[0].id, "fullName": "Amina", "email": "amina@shop.example", "phone": ""},
    ),
    "comment": (
        partial(read_form, CommentRequest),
        {"article": ARTICLES[0].slug, "comment": "Yes.", "name": "Amina", "email": "amina@shop.example",
         "website": "shop.example"},
    ),
    "newsletter": (
        partial(read_form, ConsentedSubscription),
        {"email": "amina@shop.example", "consent": "on", "interest-seo": "on"},
    ),
    "newsletter box": (partial(read_form, Subscription), {"email": "amina@shop.example"}),
    "preferences": (read_interests, {"interest-seo": "on", "interest-email": ""}),
}  # fmt: skip
"""Each parser of a public form, and what it accepts."""

TEXTS = st.one_of(
    st.text(st.characters(), max_size=60),
    st.sampled_from(
        ["\r\nBcc: x@y.example", "\x00", "\ud800", "\u202e", "a@b@c", "+" * 40, "9" * 400, "x" * 30_000, "http://[", "٣"]
    ),
)  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.binary(max_size=8) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.parametrize("name", READERS)
def test_valid_input_is_accepted(name: str) -> None:
    parse, sound = READERS[name]
    parse(sound)


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_garbage_in_any_field_is_taken_or_refused_beside_its_field(name: str, data: st.DataObject) -> None:
    parse, sound = READERS[name]
    wrong = data.draw(st.dictionaries(st.sampled_from([*sound, "further"]), ANYTHING, min_size=1))
    refusal = None
    try:
        parse({**sound, **wrong})
    except InputRejected as refused:
        refusal = refused
    if refusal is None:
        return
    # A total that does not fit is said of the figure that was not sent, too.
    assert {error.field for error in refusal.errors} <= {*wrong, "amount", "quantity"}
    assert all(error.message for error in refusal.errors)
    assert refusal.message


@given(
    st.one_of(
        st.binary(max_size=300), st.text(max_size=80).map(str.encode), st.just(b"interest-seo=on&" * 600)
    )
)
def test_any_body_that_is_posted_to_a_private_page_is_read_or_refused(body: bytes) -> None:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    request = Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)
    with contextlib.suppress(InputRejected):
        read_interests(asyncio.run(read_form_fields(request, newsletter.LARGEST_FORM)))
