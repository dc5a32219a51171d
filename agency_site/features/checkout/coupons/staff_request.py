"""What staff type about a coupon: parsed and validated, with one plain message per field."""

import re
from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, ValidationInfo, field_validator

from agency_site.characters import clean_amount, clean_number
from agency_site.content.courses import course_by_slug
from agency_site.features.checkout.coupons.rules import MOST_PERCENT
from agency_site.features.checkout.orders.request import read_coupon_code
from agency_site.features.checkout.orders.rules import Discount
from agency_site.features.checkout.orders.staff_request import AMOUNT_DIGITS, parse_run
from agency_site.form_input import InputModel, parse_moment, parse_whole_number

_CODE = re.compile(r"[A-Z0-9][A-Z0-9-]{2,19}")

_MOST_USES = 100_000


def _parse_code(value: object) -> str:
    typed = read_coupon_code(value) if isinstance(value, str) else ""
    if not _CODE.fullmatch(typed):
        raise ValueError("A code has 3 to 20 letters, digits and dashes.")
    return typed


def _parse_discount(value: object) -> Discount:
    typed = clean_number(value) if isinstance(value, str) else ""
    typed = clean_amount(typed) if not typed.endswith("%") else "".join(typed.split())
    number = typed.removesuffix("%")
    if not (number.isascii() and number.isdecimal() and len(number) <= AMOUNT_DIGITS and int(number)):
        raise ValueError("Please enter a percentage such as 10%, or whole shillings such as 1,500.")
    if not typed.endswith("%"):
        return Discount(None, int(number))
    if int(number) > MOST_PERCENT:
        raise ValueError(f"At most {MOST_PERCENT}%.")
    return Discount(int(number), None)


def _parse_coupon_course(value: object) -> str:
    if value not in (None, "") and (not isinstance(value, str) or course_by_slug(value) is None):
        raise ValueError("Please choose a course.")
    return str(value or "")


def _parse_optional_moment(value: object) -> datetime | None:
    return None if value in (None, "") else parse_moment(value)


def _parse_uses(value: object) -> int | None:
    typed = clean_number(value) if isinstance(value, str) else ""
    message = f"A number of uses from 1 to {_MOST_USES:,}, or nothing."
    return parse_whole_number(typed, _MOST_USES, message) if typed else None


class CouponRequest(InputModel):
    """A coupon as staff type it."""

    code: Annotated[str, BeforeValidator(_parse_code)]
    discount: Annotated[Discount, BeforeValidator(_parse_discount)]
    course_slug: Annotated[str, BeforeValidator(_parse_coupon_course)] = ""
    run_reference: Annotated[str, BeforeValidator(parse_run)] = ""
    valid_from: Annotated[datetime | None, BeforeValidator(_parse_optional_moment)] = None
    valid_until: Annotated[datetime | None, BeforeValidator(_parse_optional_moment)] = None
    uses: Annotated[int | None, BeforeValidator(_parse_uses)] = None

    @field_validator("valid_until")
    @classmethod
    def _ends_after_it_begins(cls, until: datetime | None, others: ValidationInfo) -> datetime | None:
        begins = others.data.get("valid_from")
        if begins and until and begins >= until:
            raise ValueError("The coupon must end after it begins.")
        return until
