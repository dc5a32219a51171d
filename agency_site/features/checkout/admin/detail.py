"""One order as staff see and work it: what its page does.

Everything acts on the order and the version that the page shows, never on the address. No handler here moves money:
what staff decide is written down, and what they ask M-Pesa changes nothing there.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import HistoryLine
from agency_site.backoffice.edit_conflicts import Difference, Merge
from agency_site.backoffice.state import Office
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound, SiteError
from agency_site.features.checkout import reviews, staff_usecases
from agency_site.features.checkout.admin.detail_record import (
    Push,
    Sent,
    facts_of,
    log_of,
    pushes_of,
    sent_of,
    steps_of,
)
from agency_site.features.checkout.admin.labels import CONTACT, answer_of, contact_of
from agency_site.features.checkout.admin.payment_query import ask_mpesa
from agency_site.features.checkout.records import OrderChanged, OrderFile
from agency_site.features.checkout.rules import PaymentState
from agency_site.features.checkout.staff_request import contact, refused
from agency_site.ui.forms import submitted

PANELS = ("contact", "resend", "decide", "receipt", "refund")
OUTCOMES = {"paid": PaymentState.PAID, "failed": PaymentState.FAILED}
LONGEST = timedelta(minutes=2)
"""After this long nobody waits for an answer of M-Pesa any more."""
Verb = Callable[[AsyncSession], Awaitable[Any]]


class OrderDesk(Office):
    """The order that is open."""

    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    steps: rx.Field[list[str]] = rx.field(default_factory=list)
    pushes: rx.Field[list[Push]] = rx.field(default_factory=list)
    lines: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    mails: rx.Field[list[Sent]] = rx.field(default_factory=list)
    panel: rx.Field[str] = rx.field("")
    """What is being done: one of `PANELS`, or nothing."""
    target: rx.Field[int] = rx.field(0)
    """The payment that it is done to."""
    asking: rx.Field[int] = rx.field(0)
    """The payment about which M-Pesa is being asked."""
    outcome: rx.Field[str] = rx.field("")
    """What is about to be decided of the payment under review."""
    draft: dict[str, str] = {}
    """The contact as it stood when somebody began to correct it; the receipt that M-Pesa states."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has saved meanwhile, beside what is being saved."""
    _base: dict[str, str] = {}
    _base_version: int = 0
    _merge: Merge | None = None
    """What is disputed, while it is."""
    _merged_version: int = 0
    _heard: int = 0
    _asked_at: datetime | None = None

    @staff_page(Right.SEE_PAYMENTS)
    async def open_order(self, who: Staff) -> None:
        """Show the order that the address names."""
        if not self._returned:
            self._forget()
        await self._load(who, str(self.router.url.query_parameters.get("ref", ""))[:20])

    @staff_watch(Right.SEE_PAYMENTS)
    async def look_again(self, who: Staff) -> None:
        """Show what others do to it, and what M-Pesa has answered meanwhile."""
        if self.reference:
            self._hear(await self._load(who, self.reference))

    @staff_event(Right.WORK_MAIL)
    async def start_resend(self, _who: Staff) -> None:
        """Begin to send the receipt again."""
        self._begin_panel("resend", {"address": self.facts.get("email", "")})

    @staff_event(Right.WORK_PAYMENTS)
    async def start_contact(self, _who: Staff) -> None:
        """Begin to correct who the order belongs to."""
        async with read_scope() as session:
            file = await staff_usecases.find(session, self.reference)
        self._base, self._base_version = contact_of(file), file.order.version
        self._begin_panel("contact", self._base)

    @staff_event(Right.WORK_PAYMENTS)
    async def start(self, _who: Staff, panel: str, payment_id: int) -> None:
        """Begin to decide a payment, to enter its receipt, or to note that it was given back."""
        push = self._push(payment_id, panel)
        self.target, self.outcome, self._base_version = push.id, "", self.version
        self._begin_panel(str(panel), {"receipt": push.receipt, "amount": push.amount, "why": push.why})

    @staff_event(Right.SEE_PAYMENTS)
    async def stop(self, _who: Staff) -> None:
        """Leave it as it is."""
        self._close()

    @staff_event(Right.WORK_PAYMENTS)
    async def choose(self, _who: Staff, outcome: str) -> None:
        """Show what the chosen decision needs."""
        self.outcome = outcome if isinstance(outcome, str) and outcome in OUTCOMES else ""
        self.errors = {}

    @staff_event(Right.WORK_PAYMENTS)
    async def ask_mpesa(self, who: Staff, payment_id: int) -> None:
        """Ask M-Pesa about a payment; the answer is told at once, or when it comes."""
        push = self._push(payment_id, "ask")
        self.asking, self._heard, self._asked_at = push.id, len(push.queries), now()
        try:
            await ask_mpesa(who, self.reference, push.id)
        except SiteError:
            self.asking = 0
            await self._load(who, self.reference)
            raise
        self._hear(await self._load(who, self.reference))

    @staff_event(Right.WORK_PAYMENTS)
    async def decide(self, who: Staff, form: dict[str, Any]) -> None:
        """Decide a payment under review."""
        given = submitted(form)
        outcome = OUTCOMES.get(given.get("outcome", ""))
        if outcome is None:
            raise refused("outcome", "Please say whether the money has come.")
        verb = partial(
            reviews.resolve_review, payment_id=self.target, version=self._base_version, outcome=outcome,
            reason=given.get("reason", ""), receipt=given.get("receipt", ""), actor=who.email,
        )  # fmt: skip
        said = {"paid": "Accepted as paid.", "failed": "Noted: no money for this order has come."}[
            outcome.value
        ]
        await self._do(who, f"payment.decided_{outcome.value}", verb, said)

    @staff_event(Right.WORK_PAYMENTS)
    async def enter_receipt(self, who: Staff, form: dict[str, Any]) -> None:
        """Add the receipt that M-Pesa has not told us."""
        receipt = submitted(form).get("receipt", "")
        verb = partial(reviews.enter_receipt, payment_id=self.target, receipt=receipt, actor=who.email)
        await self._do(who, "payment.receipt_entered", verb, "The receipt is entered.")

    @staff_event(Right.WORK_PAYMENTS)
    async def refund(self, who: Staff, form: dict[str, Any]) -> None:
        """Note that a payment has been given back."""
        given = submitted(form)
        verb = partial(
            reviews.mark_refunded, payment_id=self.target, refund_reference=given.get("refund_reference", ""),
            reason=given.get("reason", ""), actor=who.email,
        )  # fmt: skip
        await self._do(who, "payment.refunded", verb, "Noted as given back.")

    @staff_event(Right.WORK_MAIL)
    async def resend(self, who: Staff, form: dict[str, Any]) -> None:
        """Send the confirmation with its receipt again."""
        address = submitted(form).get("address", "")
        verb = partial(
            staff_usecases.resend_receipt, reference=self.reference, actor=who.email, address=address
        )
        await self._do(who, "order.receipt_resent", verb, "The receipt is on its way.")

    @staff_event(Right.WORK_PAYMENTS)
    async def add_note(self, who: Staff, form: dict[str, Any]) -> None:
        """Write something down."""
        text = submitted(form).get("note", "")
        verb = partial(staff_usecases.add_note, reference=self.reference, text=text, actor=who.email)
        await self._do(who, "order.noted", verb, "The note is kept.")

    @staff_event(Right.WORK_PAYMENTS)
    async def correct(self, who: Staff, form: dict[str, Any]) -> None:
        """Save a corrected contact."""
        given = submitted(form)
        mine = contact(**{name: given.get(name, "") for name in CONTACT}).model_dump()
        await self._save(who, mine, self._base_version)

    @staff_event(Right.WORK_PAYMENTS)
    async def keep_theirs(self, who: Staff) -> None:
        """Discard what both changed; what only the second changed is saved."""
        merge = self._merge
        if merge and merge.with_theirs() != merge.theirs:
            await self._save(who, merge.with_theirs(), self._merged_version)
            return
        self._close()
        await self._load(who, self.reference)
        self._say("Kept as it was saved by the other.")

    @staff_event(Right.WORK_PAYMENTS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Save what was typed over what the other saved."""
        if self._merge:
            await self._save(who, self._merge.with_mine(), self._merged_version)

    async def _do(self, who: Staff, action: str, verb: Verb, said: str) -> None:
        try:
            async with session_scope() as session:
                await verb(session)
                await audit.record(session, who, action, "order", self.reference)
        except OrderChanged:
            # What was about to be done was decided on facts that have changed: look first, then it can be done still.
            await self._load(who, self.reference)
            self._base_version = self.version
            if not any(one.id == self.target and self.panel in one.steps for one in self.pushes):
                self._close()
            raise
        self._close()
        await self._load(who, self.reference)
        self._say(said)

    async def _save(self, who: Staff, mine: dict[str, str], version: int) -> None:
        try:
            async with session_scope() as session:
                await staff_usecases.change_contact(session, self.reference, version, **mine, actor=who.email)
                changed = changed_fields(CONTACT, self._base, mine)
                await audit.record(session, who, "order.contact_corrected", "order", self.reference, changed)
        except OrderChanged as overtaken:
            await self._compare(who, mine, overtaken.current)
            return
        self._close()
        await self._load(who, self.reference)
        self._say("The contact is saved.")

    async def _compare(self, who: Staff, mine: dict[str, str], current: OrderFile) -> None:
        merge = Merge(self._base, contact_of(current), mine)
        self.found = merge.disputed(CONTACT)
        if not self.found:
            await self._save(who, merge.with_mine(), current.order.version)
            return
        self._merge, self._merged_version = merge, current.order.version
        await self._load(who, self.reference)

    def _push(self, payment_id: object, step: object) -> Push:
        found = next((one for one in self.pushes if one.id == payment_id and step in one.steps), None)
        if found is None:
            raise NotFound("This cannot be done with that payment any more.")
        return found

    def _begin_panel(self, panel: str, draft: dict[str, str]) -> None:
        self.panel = panel if self.reference and panel in PANELS else ""
        self.draft, self.found = dict(draft), []
        self.errors, self.problem = {}, ""

    def _close(self) -> None:
        self.panel, self.found, self.errors, self.target, self.outcome = "", [], {}, 0, ""
        self._merge = None

    def _forget(self) -> None:
        self._close()
        self.reference, self.version, self.facts, self.steps = "", 0, {}, []
        self.pushes, self.lines, self.mails, self.asking = [], [], [], 0

    def _hear(self, file: OrderFile) -> None:
        payment = next((one for one in file.payments if one.id == self.asking), None)
        if payment and len(payment.status_queries) > self._heard:
            self.asking = 0
            self._say(answer_of(payment, payment.status_queries[-1]))
        elif self._asked_at and now() - self._asked_at > LONGEST:
            self.asking = 0

    async def _load(self, who: Staff, reference: str) -> OrderFile:
        async with read_scope() as session:
            file = await staff_usecases.find(session, reference)
        self.reference, self.version = file.order.reference, file.order.version
        mails = sent_of(file.mails) if who.may(Right.SEE_MAIL) else []
        for name, value in (
            ("facts", facts_of(file)), ("steps", steps_of(file)), ("pushes", pushes_of(file)),
            ("lines", log_of(file)), ("mails", mails),
        ):  # fmt: skip
            # Only what has changed travels to the browser.
            if getattr(self, name) != value:
                setattr(self, name, value)
        return file
