"""Journeys by keyboard alone, from the top of the page: each within a budget of key presses, with focus seen at every stop.

A budget is what the page's own order asks for and nothing more: one key press per stop, one per field that is typed into.
"""

import re
from datetime import date

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.money import kes
from tests.e2e.conftest import PHONE, Opener, RunningSite
from tests.e2e.test_booking import working_day
from tests.e2e.test_payment import PATIENCE, alert, modal
from tests.e2e.test_webinar_seats import fresh
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

SKIP = 2
"""The skip link, and following it."""
SEEN = """() => new Promise((done) => {
  const until = performance.now() + 15000;
  const look = () => requestAnimationFrame(() => requestAnimationFrame(() => {
  const at = document.activeElement;
  // A button that rests while it works gives focus up until it is done; a page that goes hands it on.
  if (!at || at === document.body) return performance.now() < until ? look() : done("focus is lost");
  if (at.tabIndex < 0) return done("");
  const style = getComputedStyle(at);
  const clear = (colour) => /, 0\\)$|\\/ 0\\)$|^transparent$/.test(colour);
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && !clear(style.outlineColor);
  const ringed = style.boxShadow !== "none" && /0px 0px 0px [23]px/.test(style.boxShadow);
  if (!outlined && !ringed) return done(`focus is not seen on ${at.outerHTML.slice(0, 120)}`);
  const box = at.getBoundingClientRect();
  const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  done(there && (at.contains(there) || there.contains(at)) ? "" : `covered: ${at.outerHTML.slice(0, 120)}`);
  }));
  look();
})"""


class Hands:
    """A keyboard user; counts key presses."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.presses = 0

    def press(self, *keys: str) -> None:
        """Press keys one after the other; focus stays somewhere, and can be seen and reached by the eye."""
        for key in keys:
            self.page.keyboard.press(key)
            self.presses += 1
            assert self.page.evaluate(SEEN) == "", key

    def follow(self) -> None:
        """Follow the link that has focus: the page that it leads to begins at its start."""
        self.page.keyboard.press("Enter")
        self.presses += 1

    def go_to(self, target: Locator) -> None:
        """Press Tab until the element has focus."""
        before = self.presses
        while not target.evaluate("one => one === document.activeElement"):
            assert self.presses - before < 20, f"{target} is far away"
            self.press("Tab")

    def type(self, target: Locator, words: str) -> None:
        """Go to a field and write into it: the words count as one key press."""
        self.go_to(target)
        self.page.keyboard.insert_text(words)
        self.presses += 1

    def skip(self) -> None:
        """Past the header."""
        self.press("Tab", "Enter")
        expect(self.page.get_by_role("main")).to_be_focused()


def test_a_consultation_is_booked(site: RunningSite, open_page: Opener) -> None:
    email, day = fresh(), working_day(13)
    hands = Hands(open_page("/book", reduced_motion="reduce"))
    page = hands.page
    expect(page.get_by_role("table")).to_be_visible()
    hands.skip()
    hands.type(page.get_by_label("Full Name"), "Wanjiru Kamau")
    hands.type(page.get_by_label("Email Address"), email)
    hands.type(page.get_by_label("Phone Number"), "0712 345 678")
    hands.go_to(page.locator(".calendar td button[tabindex='0']"))
    # The first day that can be booked: today, until its last slot has begun.
    first = page.locator(".calendar td:focus-within").get_attribute("data-day")
    weeks, days = divmod((day - date.fromisoformat(first or "")).days, 7)
    hands.press(*["ArrowDown"] * weeks, *["ArrowRight"] * days, "Enter")
    expect(page.get_by_text(f"{day:%A} {day.day} {day:%B}, Nairobi time")).to_be_visible()
    hands.go_to(page.get_by_role("radio", name="09:00", exact=True))
    hands.press("Space")
    hands.go_to(page.get_by_role("button", name="Book at 09:00"))
    hands.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Booking confirmed!")).to_be_focused()
    fields, calendar, slot, send = 3 * 2, 6, 2, 5
    # Past reminders, service, message and way to the months and the grid; the day; the time; past three other times to the
    # button, and Enter.
    assert hands.presses <= SKIP + fields + calendar + (weeks + days + 1) + slot + send
    assert site.rows("SELECT state FROM bookings WHERE email = ?", email) == [("confirmed",)]


def test_a_course_is_paid(site: RunningSite, open_page: Opener) -> None:
    email = fresh()
    hands = Hands(open_page(f"/payment?course={PAID_COURSE.slug}", reduced_motion="reduce"))
    page = hands.page
    hands.skip()
    for label, words in (
        ("First Name", "Amina"),
        ("Last Name", "Odhiambo"),
        ("Email", email),
        ("Phone", "0712 345 678"),
    ):
        hands.type(page.get_by_label(label, exact=True), words)
    hands.go_to(page.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True))
    hands.press("Enter")
    expect(modal(page)).to_be_visible()
    hands.type(page.get_by_label("M-Pesa number"), "712 346 111")
    hands.press("Enter")
    expect(alert(modal(page), "payment valid")).to_be_visible(timeout=PATIENCE)
    hands.go_to(modal(page).get_by_role("link", name="See your enrolment"))
    hands.follow()
    expect(page.get_by_role("heading", level=1, name="You are enrolled")).to_be_visible()
    course, fields, one_name, pay, number, enrolment = 1, 4 * 2, 1, 6, 3, 5
    # Past the course; past the tick; past quantity, its two buttons, coupon and company to paying; the number and Enter;
    # past the dialog's close and the order.
    assert hands.presses <= SKIP + course + fields + one_name + pay + number + enrolment
    assert site.rows("SELECT state FROM orders WHERE email = ?", email) == [("paid",)]


def test_a_dialog_is_left_and_focus_is_where_it_was(open_page: Opener) -> None:
    hands = Hands(open_page(f"/payment?course={PAID_COURSE.slug}", reduced_motion="reduce"))
    page = hands.page
    for label, words in (
        ("First Name", "Amina"),
        ("Last Name", "Odhiambo"),
        ("Email", fresh()),
        ("Phone", "0712345678"),
    ):
        page.get_by_label(label, exact=True).fill(words)
    pay = page.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True)
    hands.go_to(pay)
    hands.press("Enter")
    expect(modal(page)).to_be_visible()
    hands.press("Escape")
    expect(modal(page)).to_be_hidden()
    expect(pay).to_be_focused()


def test_the_newsletter_is_subscribed_to(site: RunningSite, open_page: Opener) -> None:
    email = fresh()
    hands = Hands(open_page("/newsletter", reduced_motion="reduce"))
    page = hands.page
    form = page.get_by_role("form", name="Subscribe to the newsletter")
    topics = form.get_by_role("checkbox").count()
    hands.skip()
    hands.type(form.get_by_label("Email", exact=True), email)
    hands.go_to(form.get_by_label("SEO"))
    hands.press("Space")
    hands.go_to(form.get_by_label("I agree"))
    hands.press("Space")
    hands.go_to(form.get_by_role("button", name="Subscribe"))
    hands.press("Enter")
    expect(page.get_by_role("main")).to_contain_text("Please check your mailbox")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    before, address, ticks, send = 6, 2, 2, 4
    assert hands.presses <= SKIP + before + address + topics + ticks + send
    assert site.rows("SELECT state FROM subscribers WHERE email = ?", email) == [("pending",)]


def test_the_phones_menu_leads_on(open_page: Opener) -> None:
    hands = Hands(open_page("/about", viewport=PHONE, reduced_motion="reduce"))
    page = hands.page
    hands.go_to(page.locator(".menu > summary"))
    hands.press("Enter")
    menu = page.get_by_role("navigation", name="Menu")
    hands.go_to(menu.locator("summary"))
    hands.press("Enter")
    hands.go_to(menu.get_by_role("link", name="All resources"))
    hands.follow()
    expect(page).to_have_url(re.compile("/resources$"))
    # Skip link, name, menu, open it; four pages and Resources, open it; its first entry, follow it.
    assert hands.presses <= 4 + 6 + 2
    expect(page.get_by_role("navigation", name="Menu")).to_be_hidden()


def test_the_phones_menu_is_left_by_escape(open_page: Opener) -> None:
    hands = Hands(open_page("/about", viewport=PHONE, reduced_motion="reduce"))
    toggle = hands.page.locator(".menu > summary")
    hands.go_to(toggle)
    hands.press("Enter", "Tab", "Tab", "Escape")
    expect(toggle).to_be_focused()
    expect(hands.page.get_by_role("navigation", name="Menu")).to_be_hidden()


def test_the_desktops_dropdown_leads_on(open_page: Opener) -> None:
    hands = Hands(open_page("/about", reduced_motion="reduce"))
    page = hands.page
    hands.go_to(page.locator(".dropdown > summary"))
    hands.press("Enter")
    hands.go_to(page.locator("#resources-menu").get_by_role("link", name="All resources"))
    hands.follow()
    expect(page).to_have_url(re.compile("/resources$"))
    # Skip link, name, four pages, Resources, open it; its first entry, follow it.
    assert hands.presses <= 10


def test_focus_stays_near_when_what_had_it_goes(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/{PAID_COURSE.slug}", reduced_motion="reduce")
    page.get_by_role("button", name="Save for later").click()
    page.get_by_role("link", name="Your saved courses").click()
    button = page.get_by_role("button", name=f"Remove {PAID_COURSE.payment_name} from your list")
    expect(button).to_be_visible()
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_be_hidden()
    expect(page.get_by_role("main").get_by_role("heading").and_(page.locator(":focus"))).to_have_count(1)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
