"""Shoppers, bookers and staff: what each does, and when, drawn from the seed."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any, TypeVar

from starlette.requests import Request

from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, SiteError
from agency_site.features.academy.planning.usecases import change_status
from agency_site.features.academy.reservations.rules import WAITING_LINK
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.waiting_list import usecases as waiting_list
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.features.booking.bookings import usecases as booking
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.business_hours.staff_request import (
    BlackoutRequest,
    ScheduleExceptionRequest,
)
from agency_site.features.booking.business_hours.usecases import (
    ScheduleChange,
    add_blackout,
    remove_blackout,
    remove_schedule_exception,
    save_schedule_exception,
)
from agency_site.features.checkout import api
from agency_site.features.checkout.buying.order_status import (
    ShownState,
    Stage,
    find_order,
    find_payment_status,
)
from agency_site.features.checkout.buying.usecases import retry_payment, start_payment
from agency_site.features.checkout.coupons.rules import CouponUsedUp
from agency_site.features.checkout.direct_payments.manual import assign_transaction
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.checkout.orders.rules import LINK, RunFull
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentFailed, PaymentState, PaymentUncertain
from agency_site.features.checkout.refunds.refunds import record_refund
from agency_site.features.checkout.refunds.reversals import give_up_reversal, start_reversal
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.features.checkout.reviews.staff_request import ReviewDecision
from agency_site.features.checkout.reviews.usecases import enter_receipt, resolve_review
from agency_site.features.checkout.transactions.unassigned import book_transactions
from agency_site.ids import token_hash
from agency_site.mpesa.contract import Transaction
from agency_site.signing import private_token
from tests.simulation.faults import is_plain
from tests.simulation.network import Broken, Lost, Refused
from tests.simulation.world import (
    COUPON,
    COURSES,
    DECLINING_PHONES,
    RUN,
    START,
    WILLING_PHONES,
    World,
    find_discount,
)

Answer = TypeVar("Answer")

STAFF = "finance@mwanga.example"
_COURSE_OF_RUN = 1
_PAYER_ACTS = (
    "pay",
    "pay twice at once",
    "pay again",
    "look",
    "look",
    "try again",
    "try another phone",
    "other tab",
)
_PLANNER_ACTS = ("block", "block", "unblock", "close the day", "set other times", "set the usual times")
_PAUSES = (0.5, 2.0, 6.0, 15.0, 45.0, 95.0, 95.0, 130.0, 320.0, 1_000.0, 7_200.0, 86_500.0)
_UNPAID = (ShownState.FAILED, ShownState.CANCELLED, ShownState.EXPIRED)
_GAVE_UP = (Lost, Refused, Broken)


@dataclass(frozen=True)
class Act:
    """One thing that a person does, after a pause."""

    pause: float
    what: str
    number: int = 0
    """Which slot, where it is about one."""


@dataclass(frozen=True)
class Person:
    """A shopper, a booker or staff, with what they do in turn."""

    kind: str
    number: int
    uses_key: bool
    email: str
    phone: str
    course: int
    acts: tuple[Act, ...]
    run: str = ""
    """The course run that a shopper chooses."""
    places: int = 1
    coupon: str = ""

    def describe(self) -> str:
        """Describe the person in plain words."""
        acts = "; ".join(f"after {act.pause:g} s {act.what}" for act in self.acts)
        chosen = f" ({self.places} x {self.run})" if self.run else ""
        coupon = f" with {self.coupon}" if self.coupon else ""
        return f"{self.kind} {self.number}{chosen}{coupon}: {acts}"


THEMES = ("by hand", "any", "consultations", "run", "returns", "coupon", "parts", "cancelled run")
"""What a history is about beside everything else; eight in a row have them all."""
_OF_RUNS, _WITHOUT_RUNS = ("run", "cancelled run"), ("consultations", "returns")


def plan_all(seed: int) -> tuple[Person, ...]:
    """Return the people of the history that belongs to the seed."""
    theme = THEMES[seed % len(THEMES)]
    if is_plain(seed):
        return _EAGER_BUYER, *_CASTS[theme]

    def drawn(name: str, chance: float) -> tuple[Random, bool]:
        random = Random(f"{seed}: {name}")
        return random, random.random() < chance or theme == name

    people = _plan_people(Random(f"{seed}: people"), theme)
    for name, chance, plan in _ADDITIONS:
        random, is_chosen = drawn(name, chance)
        people = plan(people, random) if is_chosen else people
    return people


def _plan_people(random: Random, theme: str) -> tuple[Person, ...]:
    """One to three shoppers, up to three bookers, sometimes staff who decide, or who change when bookings are taken."""
    is_of_run = theme in _OF_RUNS or (theme not in _WITHOUT_RUNS and random.random() < 0.25)
    run = RUN if is_of_run else ""
    people = [
        _plan_shopper(random, number, run)
        for number in range(random.choice((2, 3, 3) if run else (1, 1, 2, 3)))
    ]
    people += [
        _plan_booker(random, number)
        for number in range(3 if theme == "consultations" else random.choice((0, 0, 1, 3)))
    ]
    if people[-1].kind == "booker" and (theme == "consultations" or random.random() < 0.6):
        people.append(_plan_planner(random))
    if random.random() < 0.4:
        acts = tuple(Act(random.choice(_PAUSES), "decide") for _ in range(random.randint(1, 3)))
        people.append(Person("staff", 0, uses_key=False, email=STAFF, phone="", course=0, acts=acts))
    return tuple(people)


_WRONG_NUMBER, _OTHER_AMOUNT = "pay by hand with a wrong number", "pay by hand another amount"
_NUMBER_OF_PROMPT = "pay by hand with the number of the prompt"
_SHILLING = "pay by hand a shilling with the number of the prompt"
_PART, _REST = "pay by hand a part", "pay by hand the rest"
_BY_HAND = (
    *("pay by hand", "pay by hand", _WRONG_NUMBER, _OTHER_AMOUNT),
    *(_NUMBER_OF_PROMPT, _NUMBER_OF_PROMPT, _SHILLING, _SHILLING),
)


def _plan_payments_by_hand(people: Sequence[Person], random: Random) -> tuple[Person, ...]:
    """Let shoppers pay to the Paybill, too."""
    return tuple(
        replace(person, acts=_pay_by_hand_too(person.acts, random))
        if person.kind == "shopper" and random.random() < 0.7
        else person
        for person in people
    )


def _pay_by_hand_too(acts: tuple[Act, ...], random: Random) -> tuple[Act, ...]:
    """The acts with a payment by hand: often while a prompt is open, which the first act sends."""
    act = Act(random.choice(_PAUSES), random.choice(_BY_HAND))
    position = 1 if random.random() < 0.5 else len(acts)
    return (*acts[:position], act, *acts[position:])


def _plan_coupons(people: Sequence[Person], random: Random) -> tuple[Person, ...]:
    """Give shoppers a coupon with one use."""
    return tuple(
        replace(person, coupon=COUPON) if person.kind == "shopper" and random.random() < 0.8 else person
        for person in people
    )


def _plan_returns(people: Sequence[Person], random: Random) -> tuple[Person, ...]:
    """Let staff have M-Pesa refund payments, of which there is one at least."""
    acts = tuple(Act(random.choice(_PAUSES[4:10]), "return") for _ in range(3))
    buyer = replace(people[0], phone=f"{WILLING_PHONES}0")
    return (
        buyer,
        *people[1:],
        Person("staff", 1, uses_key=False, email=STAFF, phone="", course=0, acts=acts),
    )


def _plan_parts(people: Sequence[Person], random: Random) -> tuple[Person, ...]:
    """Let the first shopper decline all prompts, pay a part by hand, and order again before or after the rest."""
    after = [
        random.choice(("other tab", "other tab", "pay again", "try again", "look", _REST)) for _ in range(3)
    ]
    acts = (
        Act(0.0, "pay"),
        Act(random.choice((95.0, 130.0, 320.0)), _PART),
        *(Act(random.choice(_PAUSES[3:9]), what) for what in after),
    )
    return (replace(people[0], phone=f"{DECLINING_PHONES}0", acts=acts), *people[1:])


def _plan_cancellation(people: Sequence[Person], random: Random) -> tuple[Person, ...]:
    """Let staff cancel the course run, if there is one, while people pay for it, one of them in parts."""
    if not people[0].run:
        return tuple(people)
    people = _plan_parts(people, random)
    act = Act(random.choice((15.0, 320.0, 600.0, 1_000.0)), "cancel the run")
    return (*people, Person("organiser", 0, uses_key=False, email=STAFF, phone="", course=0, acts=(act,)))


def _cast(kind: str, number: int, *acts: tuple[float, str, int], **values: Any) -> Person:
    """A person whose acts are pauses, verbs and slots."""
    person = Person(
        kind, number, kind == "shopper", f"{kind}{number}@example.com", f"25471234540{number}", 0, ()
    )
    return replace(person, acts=tuple(Act(*act) for act in acts), **values)


def _buyer(number: int, *acts: tuple[float, str], pays: bool = True, **values: Any) -> Person:
    phone = f"{WILLING_PHONES if pays else DECLINING_PHONES}{number}"
    return _cast("shopper", number, *((*act, 0) for act in acts), phone=phone, **values)


_EAGER_BUYER = _buyer(
    *(7, (0.0, "pay twice at once"), (6.0, "try again"), (15.0, "pay again"), (45.0, "try again")),
    *((130.0, "other tab"), (320.0, "look"), (7_200.0, "pay again")),
)
"""Would pay each prompt, and asks for one more each time that nothing seems to happen."""
_of_run = partial(_buyer, run=RUN, course=_COURSE_OF_RUN)
_with_coupon = partial(_buyer, coupon=COUPON)
_staff = partial(_cast, email=STAFF, phone="")
_CASTS = {
    "any": (
        _buyer(0, (1.0, "pay"), (2.0, "look"), (95.0, "other tab")),
        _buyer(1, (30.0, "pay"), (130.0, "pay again"), pays=False),
    ),
    "by hand": (
        _buyer(0, (0.0, "pay"), (95.0, "pay by hand"), (45.0, "pay by hand"), pays=False),
        _buyer(1, (0.0, "pay"), (95.0, _OTHER_AMOUNT), (45.0, _SHILLING), (45.0, _REST), pays=False),
        _buyer(2, (0.0, "pay"), (2.0, _NUMBER_OF_PROMPT), (320.0, "look")),
        _buyer(3, (0.0, "pay"), (2.0, _SHILLING), (320.0, "look")),
        _staff("staff", 0, (1_000.0, "decide", 0)),
    ),
    "consultations": (
        _cast("booker", 0, (0.0, "book", 0), (6.0, "move", 1)),
        _cast("booker", 1, (0.0, "book", 1), (2.0, "cancel", 0)),
        _cast("booker", 2, (1.0, "book", 0), (15.0, "book", 0)),
        _cast("booker", 3, (45.0, "book", 1)),
        _staff("planner", 0, (15.0, "block", 1), (95.0, "set other times", 0)),
    ),
    "run": (
        _of_run(0, (0.0, "pay"), pays=False),
        _of_run(1, (0.0, "pay"), (15.0, "look")),
        _of_run(2, (0.5, "pay"), places=2),
        _of_run(3, (1.0, "pay")),
    ),
    "returns": (
        _buyer(0, (0.0, "pay")),
        _staff("staff", 1, *((pause, "return", 0) for pause in (320.0, 320.0, 1_000.0))),
    ),
    "coupon": (
        _with_coupon(0, (0.0, "pay"), pays=False),
        _with_coupon(1, (1.0, "pay")),
        _with_coupon(2, (1.0, "pay")),
        _with_coupon(3, (7_200.0, "pay"), (7_200.0, "pay by hand"), pays=False),
    ),
    "parts": (
        _buyer(0, (0.0, "pay"), (95.0, _PART), (15.0, "other tab"), (95.0, _REST), pays=False),
        _buyer(1, (1.0, "pay"), (15.0, "pay by hand")),
    ),
    "cancelled run": (
        _of_run(0, (0.0, "pay"), (95.0, _PART), pays=False),
        _of_run(1, (30.0, "pay")),
        _staff("organiser", 0, (320.0, "cancel the run", 0)),
    ),
}
"""Who acts in plain histories, by theme."""

_ADDITIONS: tuple[tuple[str, float, Callable[[Sequence[Person], Random], tuple[Person, ...]]], ...] = (
    ("parts", 0.05, _plan_parts),
    ("by hand", 0.1, _plan_payments_by_hand),
    ("coupon", 0.1, _plan_coupons),
    ("returns", 0.1, _plan_returns),
    ("cancelled run", 0.05, _plan_cancellation),
)
"""Themes that add something to the people, and how often they do so in the histories of other themes."""


def _plan_planner(random: Random) -> Person:
    acts = tuple(
        Act(
            random.choice((0.0, 0.0, 1.0, *_PAUSES[:5])),
            random.choice(_PLANNER_ACTS),
            random.choice((0, 0, 1, 2)),
        )
        for _ in range(random.choice((1, 2, 3)))
    )
    return Person("planner", 0, uses_key=False, email=STAFF, phone="", course=0, acts=acts)


def _plan_shopper(random: Random, number: int, run: str) -> Person:
    acts = [Act(random.choice((0.0, 0.0, 1.0, 30.0)), random.choice(("pay", "pay", "pay twice at once")))]
    acts += [
        Act(random.choice(_PAUSES), random.choice(_PAYER_ACTS)) for _ in range(random.choice((0, 1, 2, 3, 5)))
    ]
    shared = random.random() < 0.3
    return Person(
        "shopper",
        number,
        uses_key=random.random() < 0.5,
        email=f"amina{0 if shared else number}@example.com",
        phone=f"25471234511{0 if shared else number}",
        course=_COURSE_OF_RUN if run else random.randrange(len(COURSES)) if not shared else 0,
        acts=tuple(acts),
        run=run,
        places=random.choice((1, 1, 2)) if run else 1,
    )


def _plan_booker(random: Random, number: int) -> Person:
    acts = [Act(random.choice((0.0, 0.0, 1.0)), "book", random.choice((0, 0, 0, 1)))]
    whats = ("move", "move", "cancel", "book")
    acts += [
        Act(random.choice(_PAUSES[:6]), random.choice(whats), random.choice((0, 1, 2)))
        for _ in range(random.choice((0, 1, 2)))
    ]
    return Person(
        "booker", number, False, f"juma{number}@example.com", f"25472234511{number}", 0, tuple(acts)
    )


def act_out(people: Sequence[Person]) -> Callable[[World], Awaitable[None]]:
    """Let people act under the faults."""

    async def act(world: World) -> None:
        actors = {
            "shopper": Shopper, "booker": Booker, "staff": Staff, "planner": Planner, "organiser": Organiser,
        }  # fmt: skip
        await asyncio.gather(*(actors[person.kind](world, person).live() for person in people))

    return act


async def finish(world: World) -> None:
    """Let staff finish: every payment by hand that the site knows of, every review, and every refund without a result."""
    staff = _hire(world)
    if world.paid_by_hand():
        await staff.import_statement()
        await asyncio.sleep(60)
        await staff.assign()
    for _ in range(3):
        await staff.decide()
    if world.inspect("select id from reversals where state in ('created', 'pending', 'unknown')"):
        await asyncio.sleep(1_000)
        await staff.find_out()


async def complete(world: World) -> None:
    """Let staff work on the report: missing receipts, and payments of orders that are paid twice."""
    await _hire(world).complete()


def _hire(world: World) -> "Staff":
    return Staff(world, Person("staff", 9, False, STAFF, "", 0, ()))


class _Actor:
    def __init__(self, world: World, person: Person) -> None:
        self.world = world
        self.person = person
        self.name = f"{person.kind} {person.number}"

    async def live(self) -> None:
        for act in self.person.acts:
            await asyncio.sleep(act.pause)
            await self.do(act)

    async def do(self, act: Act) -> None:
        raise NotImplementedError

    async def ask(
        self, what: str, work: Callable[[], Awaitable[Answer]], patience: float = 70.0
    ) -> Answer | None:
        """The answer of any server; None if there was none, or it was an error."""
        world, process = self.world, self.world.any_server()
        try:
            answer = await world.network.send("shop", process, work, patience)
        except _GAVE_UP as failure:
            world.scheduler.note(f"{self.name}: {what}: no answer ({type(failure).__name__})")
        except SiteError as error:
            world.scheduler.note(f"{self.name}: {what}: {type(error).__name__}: {error.message[:60]}")
            self.read_error(error)
        except Exception as error:
            world.scheduler.note(f"{self.name}: {what}: server error {type(error).__name__}")
            world.check_exception(process or world.people, what, error)
        else:
            world.scheduler.note(f"{self.name}: {what}: {_shorten(answer)}")
            return answer
        return None

    def read_error(self, error: SiteError) -> None:
        """An error is an answer too."""


def _shorten(answer: object) -> str:
    return str(answer)[:150]


class Shopper(_Actor):
    """Pays for a course, looks, tries again."""

    def __init__(self, world: World, person: Person) -> None:
        super().__init__(world, person)
        self.tab = f"tab of {self.name}"
        self.key = f"key of {self.name}"
        self.coupon = person.coupon
        self.token = ""
        self.place = ""
        """The link to a place that the waiting list keeps."""
        self.is_full = False
        """The run has too few places left."""
        self.has_retried = False
        self.is_uncertain = False
        """It is unknown whether a request is on the phone."""

    async def live(self) -> None:
        await super().live()
        if self.is_full:
            await self._wait_for_place()

    async def do(self, act: Act) -> None:
        await self._act(act)
        if not self.is_uncertain:
            return
        # They keep the order's page open, which asks again and again.
        self.is_uncertain = False
        for pause in (3.0, 30.0, 300.0):
            await asyncio.sleep(pause)
            await self.look()

    async def _act(self, act: Act) -> None:
        if act.what == "pay twice at once":
            await asyncio.gather(self.pay(), self.pay())
        elif act.what == "look":
            await self.look()
        elif act.what in (*_BY_HAND, _PART, _REST):
            await self.pay_by_hand(act.what)
        elif act.what == "try again":
            await self.retry("")
        elif act.what == "try another phone":
            await self.retry("254799000111")
        elif act.what == "other tab":
            self.tab = f"{self.tab}, another"
            await self.pay(with_key=False)
        else:
            await self.pay()

    async def _wait_for_place(self) -> None:
        """Join the waiting list of the run, and order with the link of its mail once a place is kept."""

        async def join() -> str:
            request = WaitingRequest.model_validate(
                {"fullName": "Amina Odhiambo", "email": self.person.email}
            )
            async with session_scope() as session:
                return (await waiting_list.join_waiting_list(session, self.person.run, request)).reference

        await self.ask("joins the waiting list", join)
        mailed = "select token_seed from waiting_list_entries where email = ? and confirmed_at is null"
        for (seed,) in self.world.inspect(mailed, self.person.email):
            await self.ask("confirms the address", partial(self._confirm, private_token(WAITING_LINK, seed)))
        offered = "select token_seed from waiting_list_entries where email = ? and state = 'offered'"
        for pause in (1_000.0, 20_000.0, 90_000.0):
            await asyncio.sleep(pause)
            for (seed,) in self.world.inspect(offered, self.person.email):
                self.place = private_token(WAITING_LINK, seed)
                await self.pay(with_key=False)
                return

    async def _confirm(self, token: str) -> str:
        async with session_scope() as session:
            return str((await waiting_list.confirm_entry(session, token)).entry.state)

    async def pay(self, *, with_key: bool = True) -> None:
        """Submit the payment form, or post to the API with a key."""
        course, price = COURSES[self.person.course]
        places = 1 if self.place else self.person.places
        total = price * places
        discount = find_discount(total) if self.coupon else 0
        body = {
            "firstName": "Amina",
            "lastName": "Odhiambo",
            "email": self.person.email,
            "phone": self.person.phone,
            "courseName": course,
            "amount": total - discount,
            "quantity": places,
            "run": self.person.run,
            "coupon": self.coupon,
        }
        if self.person.uses_key and with_key:
            await self._post(body)
            return

        async def start() -> Any:
            request = CheckoutRequest.model_validate(body)
            mpesa = await api.mpesa()
            return await start_payment(session_scope, mpesa, request, client=self.tab, place=self.place)

        if started := await self.ask("pays on the page", start):
            self.token = started.token or self.token

    async def _post(self, details: dict[str, object]) -> None:
        async def post() -> tuple[int, dict[str, Any]]:
            call = Request({"type": "http", "client": ("105.160.0.1", 1), "headers": []})
            request = CheckoutRequest.model_validate(details)
            response = await api.stkpush(request, await api.mpesa(), call, self.key)
            return response.status_code, json.loads(bytes(response.body))

        answer = await self.ask("posts with its key", post)
        if answer is None:
            return
        status, body = answer
        if "coupon" in str(body).casefold():
            self.coupon = ""
        self.is_full = self.is_full or "not have enough places left" in str(body)
        if reference := body.get("reference"):
            named = self.world.references_of_key.setdefault(self.key, [])
            named.append((self.world.scheduler.now, reference))
            self.token = self.token or private_token(LINK, reference)
        if (request := body.get("MerchantRequestID")) and not self.has_retried:
            self.world.requests_of_key.setdefault(self.key, []).append((self.world.scheduler.now, request))
        if status == 502 and body.get("detail", "").startswith("M-Pesa has not answered"):
            self.is_uncertain = True
        elif status == 502:
            self.world.check_not_charged(self.name, body.get("reference", ""), body.get("detail", ""))

    def read_error(self, error: SiteError) -> None:
        """Record the statements of a refusal about the coupon and the money."""
        rejected = error.by_field() if isinstance(error, InputRejected) else {}
        self.is_full = self.is_full or isinstance(error, RunFull)
        if isinstance(error, CouponUsedUp) or "coupon" in rejected:
            self.coupon = ""
        if "amount" in rejected:
            self.world.violations.append(f"{self.name} was refused the right price: {error.message}")
        if isinstance(error, PaymentFailed | PaymentUncertain):
            self.token = error.token or self.token
        self.is_uncertain = self.is_uncertain or isinstance(error, PaymentUncertain)
        if isinstance(error, PaymentFailed):
            self.world.check_not_charged(self.name, error.reference, error.reason)

    async def look(self) -> None:
        """Open the order's page."""
        if not self.token:
            return

        async def show() -> str:
            charged_before = self.world.charged_orders()
            async with read_scope() as session:
                view = await find_order(session, self.token)
            await self._check_status(charged_before)
            unpaid = view.stage in (Stage.PAYABLE, Stage.REPLACED) or view.status.state in _UNPAID
            is_wrong = view.reference in charged_before and not self.world.charges_may_repeat
            if unpaid and view.stage is not Stage.REFUNDED and is_wrong:
                self.world.violations.append(
                    f"{self.name} read that {view.reference} is not paid ({view.stage}), and had been charged"
                )
            if view.stage is Stage.ENROLLED and view.reference not in self.world.paid_orders():
                self.world.violations.append(
                    f"{self.name} read that {view.reference} is paid, without a charge"
                )
            return f"{view.reference} is {view.stage}: {view.detail[:60]}"

        await self.ask("looks at the order", show)

    async def _check_status(self, charged_before: set[str]) -> None:
        """Read what the API says of each payment, as the payment page does."""
        payment_of_order = (
            "select p.merchant_request_id, p.attempt_key, o.reference from payments p join orders o on o.id = p.order_id "
            "where o.token_hash = ? and p.merchant_request_id is not null"
        )
        for request, attempt, reference in self.world.inspect(payment_of_order, token_hash(self.token)):
            charged = any(prompt.charged for prompt in self.world.prompts_of(attempt))
            async with read_scope() as session:
                status = await find_payment_status(session, request)
            refunded = self.world.inspect(
                "select id from payments where attempt_key = ? and refunded > 0", attempt
            )
            denied = status.state in _UNPAID and charged and reference in charged_before and not refunded
            if denied and not self.world.charges_may_repeat:
                self.world.violations.append(f"the API says that a payment of {reference} is {status.state}")
            if status.state is ShownState.PAID and reference not in self.world.paid_orders():
                self.world.violations.append(f"the API says that {reference} is paid, without a charge")

    async def retry(self, phone: str) -> None:
        """Try again from the order's page."""
        if not self.token:
            return
        self.has_retried = True

        async def again() -> Any:
            return await retry_payment(session_scope, await api.mpesa(), self.token, phone)

        await self.ask("tries again" + (" with another phone" if phone else ""), again)

    async def pay_by_hand(self, what: str) -> None:
        """Pay to the Paybill what the order costs, with its reference, or with something that is not as it should be."""
        orders = (
            "select o.reference, o.amount, o.state, (select p.account_reference from payments p "
            "where p.order_id = o.id and p.kind = 'prompt' order by p.id desc limit 1), "
            "(select coalesce(sum(p.amount - p.refunded), 0) from payments p where p.order_id = o.id "
            "and p.state in ('paid', 'refunded')) from orders o where o.token_hash = ?"
        )
        inspected_rows = self.world.inspect(orders, token_hash(self.token))
        if not inspected_rows:
            return
        (reference, price, state, number, received), daraja = inspected_rows[0], self.world.daraja
        account = f"{'zz' if what == _WRONG_NUMBER else 'en'}{reference[-6:]}"
        if what in (_NUMBER_OF_PROMPT, _SHILLING):
            account = number or account
        amounts = {_OTHER_AMOUNT: price - 500, _SHILLING: 1, _PART: 2 * price // 3, _REST: price - received}
        amount = amounts.get(what, price)
        if amount <= 0:
            return
        payment = await self.world.network.send(
            "Paybill",
            self.world.daraja_process,
            lambda: daraja.pay_by_hand(self.person.phone, amount, account),
            70.0,
        )
        self.world.scheduler.note(f"{self.name}: pays KES {amount} by hand for {account}: {payment.verdict}")
        # A part of the price is no mistake.
        is_mistake = what == _SHILLING or (what != _WRONG_NUMBER and state in ("paid", "refunded"))
        if payment.charged and is_mistake and self.world.is_asked_about_paybill and not self.world.happened:
            self.world.violations.append(
                f"M-Pesa was allowed to take KES {amount} for {reference}, which is {state} and costs {price}"
            )


def _wanted_start(number: int) -> datetime:
    """Monday, 9:00 and the slots after it: wanted by all visitors."""
    return in_nairobi(START + timedelta(days=3)).replace(hour=9) + timedelta(hours=2 * number)


class Booker(_Actor):
    """Books a consultation, moves it, cancels it."""

    token = ""

    async def do(self, act: Act) -> None:
        start = _wanted_start(act.number)
        if act.what == "book":
            await self.book(start)
        elif self.token and act.what == "move":
            await self.ask(
                "moves", lambda: self._change(lambda session: booking.move(session, self.token, start))
            )
        elif self.token:
            await self.ask(
                "cancels", lambda: self._change(lambda session: booking.cancel(session, self.token))
            )

    async def _change(self, verb: Callable[[Any], Awaitable[Any]]) -> str:
        async with session_scope() as session:
            changed = await verb(session)
        return f"{changed.reference} is {changed.state} at {changed.starts_at:%d %H:%M}"

    async def book(self, start: Any) -> None:
        request = BookingRequest.model_validate(
            {
                "fullname": "Juma Otieno",
                "emailaddress": self.person.email,
                "phonenumber": self.person.phone,
                "message": "",
                "date": f"{start:%Y-%m-%d}",
                "time": f"{start:%H:%M}",
            }
        )

        async def take() -> booking.CreatedBooking:
            async with session_scope() as session:
                return await booking.book(session, request)

        if booked := await self.ask("books", take):
            self.token = booked.token
            self.world.confirmed.add(booked.reference)


class Planner(_Actor):
    """Staff who change when bookings are taken, and read which bookings no longer fit."""

    blackout = 0
    version = 0

    async def do(self, act: Act) -> None:
        start = _wanted_start(act.number)
        if act.what == "block":
            # From the middle of the slot: it reaches into the blackout.
            begins, ends = start + timedelta(minutes=15), start + timedelta(hours=3)
            request = BlackoutRequest.model_construct(starts_at=begins, ends_at=ends, reason="")
            if record := await self._change(act.what, lambda session: add_blackout(session, request, STAFF)):
                self.blackout = record.id
        elif act.what == "unblock" and self.blackout:
            blackout = self.blackout

            async def remove() -> str:
                async with session_scope() as session:
                    await remove_blackout(session, blackout)
                return "removed"

            await self.ask(act.what, remove)
        elif act.what == "set the usual times" and self.version:
            version = self.version
            await self._change(
                act.what, lambda session: remove_schedule_exception(session, start.date(), version)
            )
            self.version = 0
        elif act.what in ("close the day", "set other times"):
            is_closed = act.what == "close the day"
            times = () if is_closed else (time(10), time(14))
            hours = ScheduleExceptionRequest.model_construct(
                day=start.date(), closed=is_closed, times=times, capacity=None, reason=""
            )
            record = await self._change(
                act.what, lambda session: save_schedule_exception(session, hours, self.version, STAFF)
            )
            self.version = record.version if record else self.version

    async def _change(self, what: str, verb: Callable[[Any], Awaitable[ScheduleChange[Any]]]) -> Any:
        async def change() -> Any:
            # Until staff have read which bookings no longer fit, they know of none.
            self.world.unread_changes += 1
            try:
                async with session_scope() as session:
                    changed = await verb(session)
            except SiteError:
                self.world.unread_changes -= 1
                raise
            self.world.unread_changes -= 1
            self.world.misplaced |= {booking.reference for booking in changed.affected}
            return changed.record

        return await self.ask(what, change)


class Organiser(_Actor):
    """Staff who cancel the course run."""

    async def do(self, act: Act) -> None:
        ((version,),) = self.world.inspect("select version from course_runs where reference = ?", RUN)

        async def cancel() -> str:
            async with session_scope() as session:
                await change_status(session, RUN, version, RunStatus.CANCELLED, STAFF)
            return "cancelled"

        await self.ask(act.what, cancel)


class Staff(_Actor):
    """Compares reviews with M-Pesa's own statement, and refunds what is too much."""

    async def do(self, act: Act) -> None:
        await {"decide": self.decide, "return": self.return_payment}[act.what]()

    async def return_payment(self) -> None:
        """Have M-Pesa return the oldest payment that it can return."""
        paid = "select id from payments where state = 'paid' and receipt is not null and refunded = 0 order by id"
        for (payment_id,) in self.world.inspect(f"{paid} limit 1"):
            await self._return(payment_id)

    async def _return(self, payment_id: int) -> None:
        async def ask() -> str:
            await start_reversal(session_scope, gateway(session_scope), payment_id, "wanted", STAFF)
            return "accepted"

        await self.ask(f"has M-Pesa return payment {payment_id}", ask)

    async def find_out(self) -> None:
        """Look in M-Pesa's statement for the refunds with an unknown result."""
        unknown = "select p.id, p.receipt from reversals r join payments p on p.id = r.payment_id where r.state = 'unknown'"
        for payment_id, receipt in self.world.inspect(unknown):
            await self._settle(payment_id, self.world.returns().get(receipt, ""))

    async def _settle(self, payment_id: int, reference: str) -> None:
        async def settle() -> str:
            async with session_scope() as session:
                if reference:
                    await record_refund(session, payment_id, Refund(reference, "wanted"), STAFF)
                else:
                    await give_up_reversal(session, payment_id, "not in the statement", STAFF)
            return reference or "not returned"

        await self.ask(f"finds out about the return of payment {payment_id}", settle)

    async def import_statement(self) -> None:
        """Import M-Pesa's statement of the days of which the site could never read the books: it finds all others by itself."""
        transactions = [
            Transaction(
                payment.receipt, payment.at, payment.phone, Decimal(payment.amount), payment.account.upper()
            )
            for payment, _ in self.world.paid_by_hand().values()
            if self.world.was_never_shown(payment.at)
        ]
        if not transactions:
            return
        await self.ask("imports the statement", lambda: book_transactions(session_scope, transactions, STAFF))

    async def assign(self) -> None:
        """Assign payments that M-Pesa has taken for no order to the orders that they are for."""
        for receipt, (payment, reference) in self.world.paid_by_hand().items():
            if self.world.inspect("select id from payments where receipt = ?", receipt):
                continue
            same = "select id from orders where reference = ? and amount = ?"
            is_right = bool(self.world.inspect(same, reference, payment.amount))
            await self._assign(receipt, reference, "" if is_right else "the rest was paid in cash")

    async def _assign(self, receipt: str, reference: str, explanation: str) -> None:
        async def assign() -> str:
            async with session_scope() as session:
                order = await assign_transaction(session, receipt, reference, explanation, STAFF)
            self.world.assigned.add(receipt)
            return order.state

        await self.ask(f"assigns {receipt} to {reference}", assign)

    async def decide(self) -> None:
        """Decide every payment under review whose prompt has ended."""
        reviews = self.world.inspect(
            "select p.id, p.attempt_key, o.version, p.receipt from payments p join orders o on o.id = p.order_id "
            "where p.state = 'needs_review' order by p.id"
        )
        for payment_id, attempt, version, stated in reviews:
            prompts = self.world.prompts_of(attempt)
            if any(prompt.open for prompt in prompts):
                continue
            receipt = stated or next((prompt.receipt for prompt in prompts if prompt.charged), "")
            outcome = PaymentState.PAID if receipt else PaymentState.FAILED
            decision = ReviewDecision(outcome, "compared with the statement", receipt)
            await self._decide(payment_id, version, decision)

    async def _decide(self, payment_id: int, version: int, decision: ReviewDecision) -> None:
        async def resolve() -> str:
            async with session_scope() as session:
                await resolve_review(session, payment_id, version, decision, STAFF)
            return str(decision.outcome)

        await self.ask(f"decides payment {payment_id}", resolve)

    async def complete(self) -> None:
        """Enter missing receipts, and refund what an order was paid beyond its price."""
        missing = self.world.inspect(
            "select id, attempt_key from payments where state = 'paid' and receipt is null order by id"
        )
        for payment_id, attempt in missing:
            for prompt in self.world.prompts_of(attempt):
                if prompt.charged:
                    await self._enter(payment_id, prompt.receipt)
        surplus = self.world.inspect(
            "select id from payments p where state = 'paid' and (select amount from orders o where o.id = p.order_id) <= "
            "(select sum(amount) from payments q where q.order_id = p.order_id and q.state = 'paid' and q.id < p.id) order by id"
        )
        for (payment_id,) in surplus:
            await self._refund(payment_id)

    async def _enter(self, payment_id: int, receipt: str) -> None:
        async def enter() -> str:
            async with session_scope() as session:
                await enter_receipt(session, payment_id, receipt, STAFF)
            return receipt

        await self.ask(f"enters the receipt of payment {payment_id}", enter)

    async def _refund(self, payment_id: int) -> None:
        async def refund() -> str:
            async with session_scope() as session:
                await record_refund(session, payment_id, Refund(f"REV{payment_id}", "paid twice"), STAFF)
            return "refunded"

        await self.ask(f"refunds payment {payment_id}", refund)
