"""The form in which staff enter a client's order: parsed and validated, with one message per field."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator

from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.features.checkout.orders.request import COUPON_LENGTH, check_company, read_coupon_code
from agency_site.features.checkout.orders.staff_request import Contact, parse_run
from agency_site.form_input import line, parse_whole_number, read_form


def _parse_choice(value: object) -> tuple[Course, str]:
    slug, _, run = value.partition(" ") if isinstance(value, str) else ("", "", "")
    course = course_by_slug(slug)
    if course is None or course.free:
        raise ValueError("Please choose a course that has a price.")
    return course, parse_run(run)


_MOST_PLACES = 9_999


def _parse_places(value: object) -> int:
    return parse_whole_number(value, _MOST_PLACES, "Please enter how many places.")


def _parse_coupon_code(value: object) -> str:
    return read_coupon_code(line(value, "The code", COUPON_LENGTH))


class ChargeRequest(Contact):
    """A client's order, as staff enter it."""

    choice: Annotated[tuple[Course, str], BeforeValidator(_parse_choice)]
    """The course and, if chosen, the reference of its run: the slug, a space and the reference."""
    quantity: Annotated[int, BeforeValidator(_parse_places)]
    coupon: Annotated[str, BeforeValidator(_parse_coupon_code)] = ""


def read_charge(form: Mapping[str, str]) -> ChargeRequest:
    """Parse the form. Raises InputRejected naming each invalid field."""
    charge = read_form(ChargeRequest, form)
    check_company(charge.company_name, charge.company_pin, fields=("company_name", "company_pin"))
    return charge
