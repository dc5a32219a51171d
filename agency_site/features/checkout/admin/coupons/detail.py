"""The state of a coupon's page: creating, editing and ending it."""

from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.checkout.admin.coupons.labels import (
    COUPON,
    FIELD_LABELS,
    coupon_facts,
    coupon_fields,
    coupon_history,
)
from agency_site.features.checkout.coupons import staff_usecases as staff_coupons
from agency_site.features.checkout.coupons.staff_request import CouponRequest
from agency_site.features.checkout.coupons.staff_usecases import CouponRecord, find_coupon_record
from agency_site.form_input import read_form
from agency_site.places import places
from agency_site.ui.forms import Option, submitted

EDIT_FORM, END = "edit", "end"
"""The panels of the page."""


class CouponPage(DetailPage, StaffState):
    """The open coupon, by its code; without a code a new one."""

    VIEW: ClassVar = Permission.SEE_PAYMENTS
    EDIT: ClassVar = Permission.WORK_PAYMENTS
    FIELDS: ClassVar = FIELD_LABELS

    ready: rx.Field[bool] = rx.field(False)
    """The page is open; without a code it shows the form of a new coupon."""
    runs: rx.Field[list[Option]] = rx.field(default_factory=list)
    """The open and planned runs, and the coupon's own."""

    @staff_event(Permission.WORK_PAYMENTS)
    async def edit(self, _who: Staff) -> None:
        async with read_scope() as session:
            coupon = await find_coupon_record(session, self.reference)
            await self._load_runs(session, coupon.run_reference)
        self._open_panel(EDIT_FORM)
        self._open_form(coupon)

    @staff_event(Permission.WORK_PAYMENTS)
    async def save(self, who: Staff, form: dict[str, Any]) -> Any:
        fields = submitted(form)
        if self.reference:
            request = read_form(CouponRequest, {**fields, "code": self.reference})
            await self._save_form(who, EDIT_FORM, coupon_fields(request))
            return None
        request = read_form(CouponRequest, fields)
        async with session_scope() as session:
            coupon = await staff_coupons.create_coupon(session, request, who.email)
            await audit.record(session, who, "coupon.created", "coupon", coupon.code)
        return rx.redirect(f"{COUPON}?ref={coupon.code}", replace=True)

    @staff_event(Permission.WORK_PAYMENTS)
    async def ask_to_end(self, _who: Staff) -> None:
        self._open_panel(END)

    @staff_event(Permission.WORK_PAYMENTS)
    async def end(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await staff_coupons.end_coupon(session, self.reference, self.version, who.email)
            await audit.record(session, who, "coupon.ended", "coupon", self.reference)

        await self._run(who, work, "The coupon has ended.")

    async def _opened(self, _who: Staff) -> None:
        if not self.reference:
            self.draft = dict.fromkeys(FIELD_LABELS, "")
            async with read_scope() as session:
                await self._load_runs(session)
        self.ready = True

    async def _load_runs(self, session: AsyncSession, own: str = "") -> None:
        """Load the options; `own` is the coupon's run, which may be over or cancelled by now."""
        coming = [Option(run.reference, run.text) for run in await places().list_coming_runs(session)]
        is_coming = any(option.value == own for option in coming)
        self.runs = coming if is_coming or not own else [Option(own, own), *coming]

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        request = read_form(CouponRequest, edit.fields)
        await staff_coupons.save_coupon(session, self.reference, version, request, who.email)
        changed = changed_fields(FIELD_LABELS, self.draft, edit.fields)
        await audit.record(session, who, "coupon.edited", "coupon", self.reference, changed)
        return "Saved."

    def _fields_of(self, record: CouponRecord) -> dict[str, str]:
        return coupon_fields(record)

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        coupon = await find_coupon_record(session, reference)
        return {
            "reference": coupon.code,
            "version": coupon.version,
            "facts": coupon_facts(coupon, now()),
            "lines": coupon_history(await staff_coupons.list_coupon_history(session, coupon.id)),
        }
