"""`python -m tests.bench.soak.visitors SITE SECONDS RATE EMAIL PASSWORD`: mixed traffic from a process of its own.

RATE visits begin a second; 0 lets a fixed number of visitors follow each other without a pause, which measures the
capacity. Prints what visitors were promised and what went wrong as JSON.
"""

import asyncio
import itertools
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import httpx

from agency_site.backoffice.dashboard import Dashboard
from agency_site.backoffice.lists.state import ListState
from agency_site.site.home.hero import Hero
from tests.bench.bookings import places
from tests.bench.soak.journal import Journal
from tests.bench.soak.page_socket import PageSocket, SocketLost

AT_ONCE = 16
"""Visitors that follow each other while capacity is measured."""
STAFF = 2
STAFF_PAUSE_SECONDS, STAFF_SCREENS_OF_A_SESSION = 2.0, 30
RECONNECT_SECONDS = 20.0
_COURSE, _PRICE = "Google Ads Masterclass", 15_000
_READ = ("/", "/about", "/academy", "/services", "/contact", "/blog", "/book", "/payment?course=google-ads")
_SCREENS = ("/admin", "/admin/bookings", "/admin/orders", "/admin/outbox", "/admin/audit")


class Traffic:
    """All visitors and staff of one run."""

    def __init__(self, site: str, http: httpx.AsyncClient, journal: Journal, *, hurried: bool) -> None:
        """With `hurried`, visitors do not pause to read."""
        self._site, self._http, self._journal = site, http, journal
        self._chance = random.Random()
        self._run = f"{int(time.time())}"
        self.hurried = hurried
        self._numbers = itertools.count(1)
        # Later runs on the same database must not meet slots that earlier ones have filled.
        self._places = itertools.islice(
            places(), self._chance.randrange(30_000, 50_000) if hurried else 0, None
        )

    async def visit(self) -> None:
        """One visitor of a random kind."""
        kinds: tuple[Callable[[], Awaitable[None]], ...] = (self._read, self._book, self._pay)
        [kind] = self._chance.choices(kinds, (6, 2, 1))
        await self._noting(kind.__name__, kind)
        self._journal.visits += 1

    async def _noting(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except (httpx.HTTPError, SocketLost, TimeoutError, ValueError, AssertionError) as error:
            self._journal.errors.append(f"{time.time():.0f} {name}: {error!r}"[:400])

    async def _request(self, method: str, path: str, wanted: int = 200, **options: Any) -> httpx.Response:
        started_at = time.perf_counter()
        answer = await self._http.request(method, path, **options)
        self._journal.seconds.append(time.perf_counter() - started_at)
        self._journal.requests += 1
        if answer.status_code != wanted:
            raise ValueError(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        return answer

    async def _pause(self, seconds: float) -> None:
        if not self.hurried:
            await asyncio.sleep(self._chance.uniform(0, 2 * seconds))

    async def _read(self) -> None:
        """Read some pages; the home page is hydrated and its carousel moves."""
        for path in self._chance.sample(_READ, 3):
            await self._request("GET", path)
            await self._pause(1)
        page = PageSocket(self._site, "/")
        try:
            await self._connect(page)
            for _ in range(5):
                await self._pause(2)
                await self._event(page, f"{Hero.get_full_name()}.advance", Hero.get_name())
        finally:
            await page.close()

    async def _connect(self, page: PageSocket) -> None:
        """Retry for a while, like a page."""
        deadline = time.monotonic() + RECONNECT_SECONDS
        while True:
            try:
                await page.connect()
            except SocketLost:
                self._journal.lost_sockets.append(time.time())
                if time.monotonic() > deadline:
                    raise
                await page.close()
                await asyncio.sleep(0.5)
            else:
                return

    async def _event(self, page: PageSocket, handler: str, answer: str) -> None:
        try:
            await page.call(handler, answer)
        except SocketLost:
            self._journal.lost_sockets.append(time.time())
            await page.close()
            await self._connect(page)
            await page.call(handler, answer)
        self._journal.events += 1

    async def _book(self) -> None:
        day, at = next(self._places)
        await self._request("GET", "/book")
        await self._request("GET", "/api/slots", params={"date": day.isoformat()})
        await self._pause(2)
        answer = await self._request(
            "POST", "/api/book", 201,
            json={
                "fullname": "Soak Visitor", "emailaddress": f"soak{self._run}.{next(self._numbers)}@example.com",
                "phonenumber": "0712 345 678", "date": day.isoformat(), "time": at,
            },
        )  # fmt: skip
        self._journal.bookings.append(answer.json()["reference"])

    async def _pay(self) -> None:
        number = next(self._numbers)
        await self._request("GET", "/payment?course=google-ads")
        await self._pause(2)
        phone = f"07{(int(self._run) + number) % 100_000:05}111"
        answer = await self._request(
            "POST", "/api/stkpush",
            json={
                "firstName": "Amina", "lastName": "Odhiambo", "email": f"payer{self._run}.{number}@example.com",
                "phone": phone, "courseName": _COURSE, "amount": _PRICE,
            },
        )  # fmt: skip
        payment = answer.json()["MerchantRequestID"]
        state = "pending"
        for _ in range(60):
            await asyncio.sleep(1)
            state = (await self._request("GET", f"/api/check-payment-status/{payment}")).json()["state"]
            if state != "pending":
                break
        assert state == "paid", (payment, state)
        self._journal.payments.append(payment)

    async def work_in_back_office(self, email: str, password: str) -> None:
        """A member of staff opens screens for ever, and signs in again from time to time."""
        while True:
            await self._noting("staff", lambda: self._staff_session(email, password))
            await asyncio.sleep(STAFF_PAUSE_SECONDS)

    async def _staff_session(self, email: str, password: str) -> None:
        answer = await self._request(
            "POST", "/admin/sign-in", 303,
            data={"email": email, "password": password, "next": "/admin"}, headers={"Origin": self._site},
        )  # fmt: skip
        cookie = "; ".join(item.partition(";")[0] for item in answer.headers.get_list("set-cookie"))
        self._http.cookies.clear()
        self._journal.sign_ins += 1
        for number in range(STAFF_SCREENS_OF_A_SESSION):
            path = _SCREENS[number % len(_SCREENS)]
            page = PageSocket(self._site, path, cookie)
            state, answer_has = (
                (f"{Dashboard.get_full_name()}.open_dashboard", Dashboard.get_name())
                if path == "/admin"
                else (f"{ListState.get_full_name()}.open_list", "lines")
            )
            try:
                await self._connect(page)
                await self._event(page, state, answer_has)
                await asyncio.sleep(STAFF_PAUSE_SECONDS)
            finally:
                await page.close()


def moments(rate: float, seconds: float) -> Iterator[float]:
    """Return the start times of visits."""
    return (number / rate for number in range(int(rate * seconds)))


async def in_turn(traffic: Traffic, rate: float, seconds: float) -> None:
    """Visits at their moments, however long each takes."""
    started_at, visits = time.monotonic(), set[asyncio.Task[None]]()
    for moment in moments(rate, seconds):
        await asyncio.sleep(max(0.0, started_at + moment - time.monotonic()))
        visit = asyncio.create_task(traffic.visit())
        visits.add(visit)
        visit.add_done_callback(visits.discard)
    await asyncio.gather(*visits)


async def without_pause(traffic: Traffic, seconds: float) -> None:
    """Make as many visits as the site can serve."""
    ends = time.monotonic() + seconds

    async def visitor() -> None:
        while time.monotonic() < ends:
            await traffic.visit()

    await asyncio.gather(*(visitor() for _ in range(AT_ONCE)))


async def main(site: str, seconds: float, rate: float, email: str, password: str) -> None:
    """Visit, print."""
    journal = Journal()
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=50)
    async with httpx.AsyncClient(
        base_url=site,
        verify=False,
        trust_env=False,
        timeout=20,
        limits=limits,
        headers={"Accept-Encoding": "br"},
    ) as http:
        traffic = Traffic(site, http, journal, hurried=not rate)
        staff = [asyncio.create_task(traffic.work_in_back_office(email, password)) for _ in range(STAFF)]
        await (in_turn(traffic, rate, seconds) if rate else without_pause(traffic, seconds))
        for item in staff:
            item.cancel()
            with suppress(asyncio.CancelledError):
                await item
    print(json.dumps(asdict(journal)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:]))
