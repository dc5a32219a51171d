"""Every public form refuses a name that is an advertisement, next to its field."""

from collections.abc import Mapping

import pytest
from pydantic import BaseModel

from agency_site.content.articles import ARTICLES
from agency_site.content.webinars import upcoming
from agency_site.errors import InputRejected
from agency_site.features.academy.learners.request import name_field, parse_learners
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.comments.request import CommentRequest
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.form_input import read_form
from tests.example_records import PAID_COURSE

PERSON = {"email": "amina@shop.example", "phone": "0712 345 678"}
CHECKOUT = PERSON | {
    "firstName": "Amina", "lastName": "Odhiambo", "courseName": PAID_COURSE.payment_name, "amount": 30_000,
    "companyName": "Savanna Foods Ltd", "companyPin": "P051234567X",
}  # fmt: skip
FORMS: tuple[tuple[type[BaseModel], Mapping[str, object], str], ...] = (
    (BookingRequest, {"fullname": "Amina", "emailaddress": "amina@shop.example", "phonenumber": "0712 345 678",
                      "date": "2026-12-01", "time": "09:00", "message": ""}, "fullname"),
    (CheckoutRequest, CHECKOUT, "firstName"),
    (CheckoutRequest, CHECKOUT, "lastName"),
    (CheckoutRequest, CHECKOUT, "companyName"),
    (WaitingRequest, PERSON | {"fullName": "Amina"}, "fullName"),
    (CommentRequest, PERSON | {"article": ARTICLES[0].slug, "comment": "True.", "name": "Amina"}, "name"),
    (ContactMessage, PERSON | {"name": "Amina", "subject": "", "message": "Karibu."}, "name"),
    (PlanSignup, PERSON | {"fullName": "Amina", "domainType": "new", "domainName": "mamamboga.co.ke", "plan": "Growth"},
     "fullName"),
    (RegistrationRequest, PERSON | {"fullName": "Amina", "webinar": upcoming()[-1].id}, "fullName"),
)  # fmt: skip


@pytest.mark.parametrize("name", ["Win: http://evil.example/claim", "evil.example", "Call 0700 000 000"])
@pytest.mark.parametrize(("shape", "form", "field"), FORMS)
def test_a_form_refuses_an_address_or_number_as_a_name(
    shape: type[BaseModel], form: Mapping[str, object], field: str, name: str
) -> None:
    read_form(shape, form)
    with pytest.raises(InputRejected) as rejected:
        read_form(shape, {**form, field: name})
    assert rejected.value.by_field().keys() == {field}


@pytest.mark.parametrize(
    ("first", "last"), [("0712", "345 678"), ("Claim at evil", ".example"), ("evil.", "com")]
)
def test_the_two_boxes_of_a_name_hold_no_half_of_an_address_or_number(first: str, last: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(CheckoutRequest, CHECKOUT | {"firstName": first, "lastName": last})
    assert "lastName" in rejected.value.by_field()


def test_a_learner_is_named_without_an_address() -> None:
    with pytest.raises(InputRejected) as rejected:
        parse_learners({name_field(1): "Open www.evil.example", "email-1": "amina@shop.example"}, range(1, 2))
    assert rejected.value.by_field().keys() == {name_field(1)}
