"""The form of a coupon in the back office, parsed and validated, with one plain message per field."""

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
    code = read_coupon_code(value) if isinstance(value, str) else ""
    if not _CODE.fullmatch(code):
        raise ValueError("A code has 3 to 20 letters, digits and dashes.")
    return code


def _parse_discount(value: object) -> Discount:
    text = clean_number(value) if isinstance(value, str) else ""
    text = clean_amount(text) if not text.endswith("%") else "".join(text.split())
    number = text.removesuffix("%")
    if not (number.isascii() and number.isdecimal() and len(number) <= AMOUNT_DIGITS and int(number)):
        raise ValueError("Please enter a percentage such as 10%, or whole shillings such as 1,500.")
    if not text.endswith("%"):
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
    digits = clean_number(value) if isinstance(value, str) else ""
    message = f"Enter a number from 1 to {_MOST_USES:,}, or leave this empty for any number of uses."
    return parse_whole_number(digits, _MOST_USES, message) if digits else None


class CouponRequest(InputModel):
    """A coupon as staff enter it."""

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
