"""The main journeys of visitors and staff: equal steps in every engine, at every width, with and without scripts.

A step names what people see and do, never how a form is sent. Each journey ends with what the database and the mailbox hold.
"""

import re
import secrets
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from agency_site.auth.rules import Role
from agency_site.content.newsletter import CONSENT
from agency_site.content.webinars import upcoming
from agency_site.features.booking.schedule.rules import format_day
from agency_site.money import kes
from tests.e2e.back_office.calendar_weeks import at, booked, own_week, start_of, week_of
from tests.e2e.back_office.clients import client, free_slot, free_slots
from tests.e2e.back_office.conftest import PASSWORD, employ
from tests.e2e.browser import Browser
from tests.e2e.conftest import RunningSite
from tests.example_records import ARTICLE, FREE_COURSE, PAID_COURSE

Journey = Callable[[Browser, RunningSite], None]
PAYING = 40.0
"""Seconds that M-Pesa, its customer and the callback may take together."""


def new_address() -> str:
    """An e-mail address that no other journey types."""
    return f"visitor-{secrets.token_hex(4)}@example.com"


def mailed_path(site: RunningSite, address: str, start: str) -> str:
    """The private link in the last mail to that address."""
    words = site.mails(address)[-1][2]
    match = re.search(rf"{start}/[\w=-]+", words)
    assert match, words
    return match.group()


def mail_kinds(site: RunningSite, address: str) -> list[str]:
    """Return the mails to that address, in order."""
    return [kind for kind, *_ in site.mails(address)]


CALENDAR = "document.querySelector('.calendar').textContent"


def choose_time(browser: Browser, day: date, time: str) -> None:
    """Choose a day of the calendar, then one of its times."""
    browser.wait_until(lambda: browser.engine.evaluate(CALENDAR), "a calendar is shown")
    while not browser.engine.evaluate(f"document.querySelector('[data-day=\"{day}\"]') !== null"):
        text = browser.engine.evaluate(CALENDAR)
        browser.click("Next month")
        browser.wait_until(partial(_differs, browser, text), "another month is shown")
    name = f"{day:%A} {day.day} {day:%B} {day.year}"
    if not browser.is_chosen(name):
        browser.click(name)
        browser.wait_until(lambda: browser.is_chosen(name), f"{name} is chosen")
    # Until the day's own times have come, those of the day before are shown.
    browser.wait_for(f"{day:%A} {day.day} {day:%B}, Nairobi time")
    browser.click(time)


def _differs(browser: Browser, text: str) -> bool:
    return bool(browser.engine.evaluate(CALENDAR) != text)


def book(browser: Browser, site: RunningSite) -> None:
    """Book a consultation, move it, and cancel it. Plain pages have buttons that cannot follow the choice."""
    address, form = new_address(), "Book a consultation"
    day, time = free_slot(site)
    browser.open("/book")
    browser.type("Full Name", "Wanjiru Kamau", form)
    browser.type("Email Address", address, form)
    browser.type("Phone Number", "0712 345 678", form)
    browser.type("Message", "We open a second branch in March.", form)
    choose_time(browser, day, time)
    browser.click(f"Book at {time}|Select Time to Book")
    browser.wait_for("Booking confirmed! We will get back to you shortly.")
    assert site.rows("SELECT state, phone, message FROM bookings WHERE email = ?", address) == [
        ("confirmed", "+254712345678", "We open a second branch in March.")
    ]
    if browser.count("link", "Move or cancel this booking"):
        browser.click("Move or cancel this booking")
    browser.wait_for("Your consultation")
    browser.click("Move to another time")
    later = free_slots(site, day)[0]
    choose_time(browser, day, later)
    browser.click(f"Move to {later}|Move to the chosen time")
    browser.wait_for(f"Your consultation is now at {later}")
    browser.click("Cancel the booking")
    browser.click("Yes, cancel it")
    browser.wait_for("is cancelled")
    assert site.rows("SELECT state, sequence FROM bookings WHERE email = ?", address) == [("cancelled", 2)]
    assert mail_kinds(site, address) == ["booking-confirmed", "booking-moved", "booking-cancelled"]


def order(browser: Browser, course: str, address: str) -> None:
    """Type into the form of the payment page."""
    form = "Enrol and pay"
    browser.open(f"/payment?course={course}")
    browser.type("First Name", "Amina", form)
    browser.type("Last Name", "Odhiambo", form)
    browser.type("Email", address, form)
    browser.type("Phone", "0712 345 678", form)


def pay(browser: Browser, site: RunningSite) -> None:
    """Pay for a course by M-Pesa, and come to the enrolment."""
    address = new_address()
    # The last digits choose what happens on the phone.
    phone = f"712{secrets.randbelow(900) + 100}111"
    order(browser, PAID_COURSE.slug, address)
    browser.click(f"Pay {kes(PAID_COURSE.payment_price)}", within="Enrol and pay")
    browser.type("M-Pesa number", phone)
    browser.click(f"Pay {kes(PAID_COURSE.payment_price)}")
    browser.wait_until(
        lambda: site.rows("SELECT 1 FROM orders WHERE email = ? AND state = 'paid'", address),
        "the order is paid",
        PAYING,
    )
    browser.wait_for("You are enrolled")
    if browser.count("link", "See your enrolment"):
        browser.click("See your enrolment")
    browser.wait_until(lambda: browser.count("link", "Download the receipt"), "the receipt is offered")
    assert mail_kinds(site, address) == ["enrolment-confirmed"]


def enrol_for_free(browser: Browser, site: RunningSite) -> None:
    """Enrol in the course that costs nothing."""
    address = new_address()
    order(browser, FREE_COURSE.slug, address)
    browser.click("Enroll for free")
    browser.wait_for("Check your e-mail")
    assert site.rows("SELECT state FROM orders WHERE email = ?", address) == [("unpaid",)]
    browser.open(mailed_path(site, address, "/order"))
    browser.click("Confirm my place")
    state = "SELECT state FROM orders WHERE email = ?"
    browser.wait_until(lambda: site.rows(state, address) == [("free",)], "the place is confirmed")
    browser.wait_for("You are enrolled")


def write(browser: Browser, site: RunningSite) -> None:
    """Send the contact form."""
    address, form = new_address(), "Write to us"
    browser.open("/contact")
    browser.type("Name", "Wanjiru", form)
    browser.type("Email", address, form)
    browser.type("Message", "We move to a larger shop in May.", form)
    browser.click("Send message", within=form)
    browser.wait_for("Thank you for your message")
    assert mail_kinds(site, address) == ["message-received"]


def sign_up(browser: Browser, site: RunningSite) -> None:
    """Sign up for a plan, and choose another one on the way."""
    address, form = new_address(), "Your details"
    browser.open("/signup/growth")
    browser.type("Full Name", "Njeri Kamau", form)
    browser.type("Email", address, form)
    browser.type("Phone", "0712 345 678", form)
    browser.check("I have an existing domain", form)
    browser.type("Domain Name", "wanjiru.co.ke", form)
    browser.choose("Plan", "Pro", form)
    browser.click("Sign up", within=form)
    browser.wait_for("Thank you for choosing our Pro plan!")
    assert mail_kinds(site, address) == ["signup-received"]


def comment(browser: Browser, site: RunningSite) -> None:
    """Comment on an article, see the comment under the mailed link, and withdraw it."""
    address, form = new_address(), "Leave a comment"
    browser.open(ARTICLE.href)
    browser.type("Comment *", "We tried this in our shop.", form)
    browser.type("Full Name *", "Amina Odhiambo", form)
    browser.type("Email *", address, form)
    browser.click("Post comment", within=form)
    browser.wait_for("Thank you for your comment!")
    browser.open(mailed_path(site, address, "/comment"))
    browser.wait_for("Waiting for one of our editors")
    browser.click("Withdraw my comment")
    browser.wait_for("You have withdrawn your comment.")
    assert site.rows("SELECT state FROM comments WHERE email = ?", address) == [("withdrawn",)]


def subscribe(browser: Browser, site: RunningSite) -> None:
    """Subscribe in the footer, and confirm by the mailed link."""
    address, form = new_address(), "One useful letter, every Wednesday"
    browser.open("/about")
    browser.type("Where shall we send it?", address, form)
    browser.click("Subscribe", within=form)
    browser.wait_for("Thank you for subscribing!")
    assert mail_kinds(site, address) == ["newsletter-confirm"]
    follow_newsletter_mail(browser, site, address)


def subscribe_on_page(browser: Browser, site: RunningSite) -> None:
    """Subscribe on the newsletter's page, where interests are chosen."""
    address, form = new_address(), "Subscribe to the newsletter"
    browser.open("/newsletter")
    browser.type("Email", address, form)
    browser.check("SEO", form)
    browser.check(CONSENT, form)
    browser.click("Subscribe", within=form)
    browser.wait_for("Thank you for subscribing!")
    assert mail_kinds(site, address) == ["newsletter-confirm"]


def follow_newsletter_mail(browser: Browser, site: RunningSite, address: str) -> None:
    """Confirm by the mailed link, choose topics, and unsubscribe."""
    browser.open(mailed_path(site, address, "/newsletter/confirm"))
    browser.click("Confirm")
    browser.wait_for("Welcome on board")
    browser.click("Change my topics or unsubscribe")
    browser.check("Analytics")
    browser.click("Save")
    browser.wait_for("Saved.")
    browser.click("Unsubscribe")
    browser.wait_until(lambda: browser.count("heading", "You are unsubscribed"), "the reader is unsubscribed")
    assert site.rows("SELECT state FROM subscribers WHERE email = ?", address) == [("unsubscribed",)]


def register(browser: Browser, site: RunningSite) -> None:
    """Reserve a seat in a webinar, and give it back by the mailed link."""
    address, form = new_address(), "Reserve a seat"
    browser.open(upcoming()[-1].href)
    browser.type("Full Name", "Wanjiru Kamau", form)
    browser.type("Email", address, form)
    browser.type("Phone", "0712 345 678", form)
    browser.click("Reserve a seat", "button", form)
    browser.wait_for("Your seat is reserved")
    browser.open(mailed_path(site, address, "/registration"))
    browser.click("Cancel my seat")
    browser.wait_for("Your seat has been cancelled.")
    assert site.rows("SELECT state FROM webinar_registrations WHERE email = ?", address) == [("cancelled",)]


def filter_lists(browser: Browser, site: RunningSite) -> None:
    """Filter the courses on the home page, and the posts of the blog."""
    del site
    browser.open("/")
    browser.click("Business", within="Filter courses")
    browser.wait_for("1 course shown")
    assert browser.path == "/?courses=business"
    browser.open("/blog")
    browser.click("Email Marketing", "link")
    browser.wait_for("Email Marketing: 1 post")
    assert browser.path == "/blog?category=Email%20Marketing"


def work(browser: Browser, site: RunningSite) -> None:
    """Sign in, find a booking in the list, write a note on it."""
    member = employ(site, Role.OWNER, "Amina Odhiambo", password=PASSWORD)
    word = f"Wekesa{secrets.token_hex(3)}"
    first_client, other = client(site, f"Ruth {word}"), client(site)
    browser.open("/admin/bookings")
    browser.type("E-mail address", member.email)
    browser.type("Password", PASSWORD)
    browser.click("Sign in", "button")
    browser.wait_until(lambda: browser.path == "/admin/bookings", "the list is open")
    browser.wait_until(lambda: browser.count("link", other.reference), "all bookings are listed")
    browser.type("Search this list", word)
    browser.click("Show", within="Bookings")
    browser.wait_until(lambda: not browser.count("link", other.reference), "the list is narrowed")
    browser.click(first_client.reference, "link")
    browser.wait_for(f"Ruth {word}")
    browser.type("For staff only", "Brings the brand book.")
    browser.click("Save note")
    browser.wait_for("Note saved.")
    actions = site.rows("SELECT action FROM audit_entries WHERE reference = ?", first_client.reference)
    assert actions == [("booking.noted",)]


def move_in_calendar(browser: Browser, site: RunningSite) -> None:
    """Pick up a booking and put it down on another day of the calendar; the client is not notified."""
    monday = own_week()
    tuesday = monday + timedelta(days=1)
    reference = booked(site, "Amina Dragged", monday, 9, "dragged@example.com")
    member = employ(site, Role.FRONT_DESK)
    browser.sign_in(member.token)
    browser.open(week_of(monday))
    # No driver drags as a mouse does in all engines: `back_office/test_calendar_moves.py` does so in one.
    browser.click("Move Amina Dragged")
    browser.click(f"Free: book {format_day(tuesday)}, 11:00")
    browser.wait_for(f"Move Amina Dragged to {format_day(tuesday)}, 11:00?")
    browser.check("Notify the client", on=False)
    browser.click("Move booking")
    browser.wait_for("Amina Dragged", f"{format_day(tuesday)} {tuesday.year}")
    assert start_of(site, reference) == at(tuesday, 11)


PUBLIC: tuple[Journey, ...] = (
    book, pay, enrol_for_free, write, sign_up, comment, subscribe, register, filter_lists,
)  # fmt: skip
BACK_OFFICE: tuple[Journey, ...] = (work, move_in_calendar)
