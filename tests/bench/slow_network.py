"""How soon public forms answer, and /book shows its days, on a slow phone and a slow network.

Chromium runs with a quarter of the processor's speed, 400 ms for each round trip and 400 kbit/s; every visit has an empty cache.
A form is sent as soon as it can be filled in, while the scripts are loading, and, on another visit, after hydration.
"""

import secrets
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page

from agency_site.content.webinars import upcoming
from tests.bench.paint import MOTO
from tests.bench.running import chromium, heading, running_site
from tests.e2e.conftest import hydrated
from tests.e2e.slow_phone import SLOWER, slow_down

COMMAND = "python -m tests.bench.slow_network"
RUNS = 3
MOST_SECONDS = 3.0
"""Budget of an answer."""
LONGEST_MS = 60_000
_WATCH_DAYS = """
  const look = () => {
    if (document.querySelector(".calendar td button")?.checkVisibility()) window.daysAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
"""
_PAINTS = """new Promise((done) => setTimeout(() => {
  const [first] = performance.getEntriesByName("first-contentful-paint");
  done([first.startTime / 1000, window.daysAt / 1000]);
}, 3000))"""


@dataclass(frozen=True)
class PublicForm:
    """A form, what is typed into it, and the words that answer it."""

    name: str
    path: str
    button: str
    answer: str
    texts: dict[str, str] = field(default_factory=dict)
    """Values by the id of their field; the e-mail address is a new one on each visit."""
    email: str = ""
    choice: str = ""
    """Selector of what is clicked before."""

    def fill_in(self, page: Page) -> None:
        """Remove the limits of the network."""
        if self.choice:
            page.locator(self.choice).first.click()
        for identifier, text in self.texts.items():
            page.locator(f"#{identifier}").fill(text)
        page.locator(f"#{self.email}").fill(f"visitor-{secrets.token_hex(4)}@example.com")

    def seconds_until_answer(self, page: Page) -> float:
        """Submit, and wait until the answer can be read."""
        button = page.locator(self.button)
        button.click(trial=True)
        started_at = time.monotonic()
        button.click(no_wait_after=True)
        page.get_by_text(self.answer).first.wait_for()
        return time.monotonic() - started_at


_PHONE = "0712 345 678"
FORMS = (
    PublicForm("newsletter in the footer", "/about", "#footer-newsletter-form button", "Thank you for subscribing!",
               email="footer-email"),
    PublicForm("contact", "/contact", "#contact-form button[type=submit]", "Thank you for your message",
               {"contact-name": "Wanjiru", "contact-message": "We move in May."}, "contact-email"),
    PublicForm("booking", "/book", "page-region[name=submit] button", "Booking confirmed!",
               {"booking-fullname": "Wanjiru Kamau", "booking-phonenumber": _PHONE}, "booking-emailaddress", ".slots .slot"),
    PublicForm("payment", "/payment?course=google-ads", "#payment-form > button.button", "M-Pesa number",
               {"payment-firstName": "Amina", "payment-lastName": "Odhiambo", "payment-phone": _PHONE}, "payment-email"),
    PublicForm("comment", "/video-blog", "#comment-form button[type=submit]", "Thank you for your comment!",
               {"comment-comment": "We tried this.", "comment-name": "Amina Odhiambo"}, "comment-email"),
    PublicForm("seat in a webinar", upcoming()[-1].href, "#seat-form button[type=submit]", "Your seat is reserved",
               {"seat-fullName": "Wanjiru Kamau", "seat-phone": _PHONE}, "seat-email"),
    PublicForm("plan sign-up", "/signup/growth", "#signup-form button[type=submit]", "Thank you for choosing",
               {"signup-fullName": "Njeri Kamau", "signup-phone": _PHONE, "signup-domainName": "wanjiru.co.ke"}, "signup-email"),
)  # fmt: skip


def open_slowly(browser: Browser) -> Page:
    """An empty page of a slow phone on a slow network."""
    context = browser.new_context(service_workers="block", **MOTO)  # type: ignore[arg-type]
    context.set_default_timeout(LONGEST_MS)
    page = context.new_page()
    slow_down(page)
    return page


def at_once(_page: Page) -> None:
    """Scripts are loading."""


def answer_after(browser: Browser, url: str, form: PublicForm, ready: Callable[[Page], None]) -> float:
    """Seconds from the submit until the answer, on a new visit."""
    page = open_slowly(browser)
    page.goto(url + form.path, wait_until="domcontentloaded")
    ready(page)
    form.fill_in(page)
    seconds = form.seconds_until_answer(page)
    page.context.close()
    return seconds


def paints_of_book(browser: Browser, url: str) -> tuple[float, float]:
    """Seconds until the first paint of /book, and until its days are there."""
    page = open_slowly(browser)
    page.add_init_script(_WATCH_DAYS)
    page.goto(f"{url}/book", wait_until="domcontentloaded")
    first, days = page.evaluate(_PAINTS)
    page.context.close()
    return first, days


def main(names: Sequence[str] = (), runs: int = RUNS) -> None:
    """Measure and print; without `names` every form."""
    heading(
        f"Seconds on a slow network, median of {runs}; processor slowed {SLOWER} times, 400 ms, 400 kbit/s",
        COMMAND,
    )
    with running_site(form_minimum_seconds=0) as server, chromium() as browser:
        print(f"{'form':<28}{'at once':>12}{'hydrated':>12}   budget {MOST_SECONDS:g} s")
        for form in FORMS:
            if names and form.name not in names:
                continue
            both = [
                statistics.median(answer_after(browser, server.url, form, ready) for _ in range(runs))
                for ready in (at_once, hydrated)
            ]
            print(f"{form.name:<28}{both[0]:10.1f} s{both[1]:10.1f} s", flush=True)
        paints = [paints_of_book(browser, server.url) for _ in range(runs)]
        first, days = (statistics.median(item) for item in zip(*paints, strict=True))
        print(f"\n/book: first paint after {first:.1f} s, its days are there after {days:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
