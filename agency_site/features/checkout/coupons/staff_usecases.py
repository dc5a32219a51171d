"""Use cases of staff: create, change and end coupons. `actor` is the e-mail address of the staff account."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import LoggedEvent, append_event, describe_edit, list_events
from agency_site.db.found_rows import find_one
from agency_site.db.read_models import ReadModel
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.checkout.coupons.staff_request import CouponRequest
from agency_site.features.checkout.coupons.tables import Coupon, CouponEvent
from agency_site.features.checkout.orders.staff_request import reject
from agency_site.form_input import moment_field_value
from agency_site.places import places


class CouponChange(StrEnum):
    """The kind of an event in the history of a coupon."""

    CREATED = "created"
    EDITED = "edited"
    ENDED = "ended"


@dataclass(frozen=True)
class CouponRecord(ReadModel):
    """A coupon as it is now."""

    id: int
    code: str
    percent: int | None
    amount: int | None
    course_slug: str
    """Empty if the coupon is for all courses."""
    run_reference: str
    """Empty if the coupon is for all course runs."""
    valid_from: datetime | None
    valid_until: datetime | None
    uses: int | None
    """None for any number of uses."""
    used: int
    ended_at: datetime | None
    version: int


async def find_coupon_record(session: AsyncSession, code: str) -> CouponRecord:
    """Return the coupon with that code. Raises NotFound."""
    wanted = select(Coupon).where(Coupon.code == code).execution_options(populate_existing=True)
    row = await find_one(session, wanted, "There is no coupon with this code.")
    return CouponRecord.of(row)


async def list_coupon_history(session: AsyncSession, coupon_id: int) -> list[LoggedEvent]:
    """Return the history of a coupon, oldest event first."""
    return await list_events(session, CouponEvent, coupon_id)


async def create_coupon(session: AsyncSession, request: CouponRequest, actor: str) -> CouponRecord:
    """Store a coupon. Raises InputRejected for a `code` that exists, and for `run_reference`."""
    await _require_run(session, request)
    _reject_past(request.valid_until)
    moment = now()
    coupon = Coupon(**_columns(request), code=request.code, created_at=moment, updated_at=moment)
    try:
        async with session.begin_nested():
            session.add(coupon)
    except IntegrityError:
        raise reject("code", "A coupon with this code exists already.") from None
    await append_event(session, CouponEvent, [coupon.id], CouponChange.CREATED, actor)
    return await find_coupon_record(session, request.code)


async def save_coupon(
    session: AsyncSession, code: str, version: int, request: CouponRequest, actor: str
) -> CouponRecord:
    """Change a coupon, but not its code. Existing orders keep their discount.

    Raises NotFound, Conflict if the coupon has ended, StaleRecord, and InputRejected for `uses` below the number of
    existing uses, and for `run_reference`.
    """
    coupon = await find_coupon_record(session, code)
    if coupon.ended_at:
        raise Conflict("This coupon has ended.")
    await _require_run(session, request)
    # The form shows minutes only, so an unchanged time differs by its seconds.
    if moment_field_value(request.valid_until) != moment_field_value(coupon.valid_until):
        _reject_past(request.valid_until)
    values = _columns(request)
    try:
        async with session.begin_nested():
            await _update(session, coupon, version, **values)
    except IntegrityError:
        raise reject("uses", "More orders than that have used it already.") from None
    edit = describe_edit({name: getattr(coupon, name) for name in values}, values)
    await append_event(session, CouponEvent, [coupon.id], CouponChange.EDITED, actor, note=edit)
    return await find_coupon_record(session, code)


async def end_coupon(session: AsyncSession, code: str, version: int, actor: str) -> CouponRecord:
    """End a coupon for good: no further order can use it. Raises NotFound, Conflict if it has ended, StaleRecord."""
    coupon = await find_coupon_record(session, code)
    if coupon.ended_at:
        raise Conflict("This coupon has ended.")
    await _update(session, coupon, version, ended_at=now())
    await append_event(session, CouponEvent, [coupon.id], CouponChange.ENDED, actor)
    return await find_coupon_record(session, code)


def _reject_past(until: datetime | None) -> None:
    if until and until <= now():
        raise reject(
            "valid_until",
            "This time has passed, so no order could use the coupon. To stop it now, choose End coupon.",
        )


async def _update(session: AsyncSession, coupon: CouponRecord, version: int, **values: Any) -> None:
    if not await update_record(session, Coupon, coupon.id, version, updated_at=now(), **values):
        raise StaleRecord(f"coupon {coupon.code}", await find_coupon_record(session, coupon.code))


async def _require_run(session: AsyncSession, request: CouponRequest) -> None:
    run, course = request.run_reference, request.course_slug
    if not run:
        return
    if await places().find_run_start(session, run) is None:
        raise reject("run_reference", "There is no course run with this reference.")
    coming_runs = await places().list_coming_runs(session)
    if course and any(
        coming_run.reference == run and coming_run.course_slug != course for coming_run in coming_runs
    ):
        raise reject("run_reference", "This course run belongs to another course.")


def _columns(request: CouponRequest) -> dict[str, Any]:
    return request.model_dump(exclude={"code", "discount"}) | {
        "percent": request.discount.percent,
        "amount": request.discount.amount,
    }
