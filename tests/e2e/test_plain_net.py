"""Faults of browsers, extensions, networks and scripts: the visitor can finish each form, and nothing that was typed is lost.

A fault is JavaScript, run before a page's scripts, before React is loaded, or once React has begun. After it the form is sent,
again if the plain page has come back, and there is one record.
"""

import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from agency_site.auth.rules import Role
from agency_site.content.newsletter import CONSENT
from agency_site.money import kes
from tests.e2e.back_office.clients import free_slot
from tests.e2e.back_office.conftest import employ
from tests.e2e.browser import DESKTOP, PHONE, Browser
from tests.e2e.conftest import RunningSite
from tests.e2e.engines import ENGINES, BiDi, Engine, chromium
from tests.e2e.journeys import choose_time, new_address, pay, work
from tests.example_records import ARTICLE, FREE_COURSE, PAID_COURSE

AGAIN = 60.0
"""Seconds until a page has thanked the visitor, or is plain again."""


@dataclass(frozen=True)
class Form:
    """A form, what a visitor types into it (besides an address), and the table of its record."""

    path: str
    name: str
    texts: Mapping[str, str]
    address: str
    button: str
    thanks: str
    table: str
    boxes: tuple[str, ...] = field(default=())


FORMS = {
    form.path: form
    for form in (
        Form(
            "/book", "Book a consultation", {"Full Name": "Wanjiru Kamau", "Phone Number": "0712 345 678"}, "Email Address",
            "", "Booking confirmed!", "bookings",
        ),
        Form(
            f"/payment?course={FREE_COURSE.slug}", "Enrol and pay",
            {"First Name": "Amina", "Last Name": "Odhiambo", "Phone": "0712 345 678"}, "Email",
            "Enroll for free", "Check your e-mail", "orders",
        ),
        Form(
            "/contact", "Write to us", {"Name": "Wanjiru", "Message": "We move in May."}, "Email",
            "Send message", "Thank you for your message", "enquiries",
        ),
        Form(
            "/signup/growth", "Your details",
            {"Full Name": "Njeri Kamau", "Phone": "0712 345 678", "Domain Name": "wanjiru.co.ke"}, "Email",
            "Sign up", "Thank you for choosing our", "enquiries",
        ),
        Form(
            ARTICLE.href, "Leave a comment", {"Comment *": "We tried this.", "Full Name *": "Amina Odhiambo"}, "Email *",
            "Post comment", "Thank you for your comment!", "comments",
        ),
        Form(
            "/newsletter", "Subscribe to the newsletter", {}, "Email",
            "Subscribe", "Thank you for subscribing!", "subscribers", ("SEO", CONSENT),
        ),
    )
}  # fmt: skip


def once_drawn(change: str) -> str:
    """Run this once the markup is there, and before any script that waits for it."""
    return f"addEventListener('DOMContentLoaded', () => {{ {change} }});"


def storage(change: str, *names: str) -> str:
    """Change the storages of these names, or both."""
    changes = (f"Object.defineProperty(window, '{name}', {change});" for name in names or STORAGES)
    return "".join(changes)


STORAGES = ("localStorage", "sessionStorage")
DENIED = "{ configurable: true, get() { throw new DOMException('denied', 'SecurityError'); } }"
FILL = """
for (const name of location.host ? ["localStorage", "sessionStorage"] : []) {
  for (let part = "x".repeat(2 ** 20), nth = 0; part; nth += 1)
    try { window[name][`fill-${nth}`] = part; } catch { part = part.slice(Math.ceil(part.length / 2)); }
}
"""
WRAP = """
const wrap = (part) => {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.push(walker.currentNode);
  for (const text of texts.filter((one) => !one.parentNode.closest("head, font, script, style, textarea, option"))) {
    const font = document.createElement("font");
    text.replaceWith(font);
    font.append(%s);
  }
};
"""
TRANSLATE = WRAP % "text" + "wrap(document.body);"
TRANSLATE_ANEW = WRAP % "text.cloneNode()" + "wrap(document.body);"
"""The second leaves none of the texts that React knows."""
GO_ON_TRANSLATING = (
    TRANSLATE
    + """
new MutationObserver(() => wrap(document.body)).observe(document, { childList: true, subtree: true });
"""
)
TRANSLATE_BUTTON = WRAP % "text" + "wrap(document.querySelector('main form [type=submit]'));"
BESIDE_FIELDS = """
for (const input of document.querySelectorAll("main [type=email], main [type=tel]"))
  input.after(Object.assign(document.createElement("div"), { className: "icon-of-a-password-manager" }));
"""
IN_LABELS = "for (const label of document.querySelectorAll('main label')) label.append(document.createElement('span'));"
ATTRIBUTES = """
for (const input of document.querySelectorAll("input")) input.setAttribute("data-reader", "1");
document.documentElement.append(document.createElement("reader-root"));
document.body.setAttribute("data-reader", "1");
document.body.append(document.createElement("reader-root"));
document.head.append(document.createElement("style"));
"""


def answers(change: str) -> str:
    """Change the second and later answers of the server: `answer` is the text of one, `update` its parsed content."""
    return f"""
let seen = 0;
const broken = (answer) => {{
  if (!answer.startsWith?.("42") || !answer.includes('"delta"') || (seen += 1) < {FIRST_BROKEN}) return answer;
  const start = answer.indexOf("[");
  const [name, update] = JSON.parse(answer.slice(start));
  {change}
  return answer.slice(0, start) + JSON.stringify([name, update]);
}};
window.WebSocket = class extends WebSocket {{
  set onmessage(listener) {{ super.onmessage = ({{ data }}) => listener({{ data: broken(data) }}); }}
}};
"""


FIRST_BROKEN = 2
THROWS = "function () { throw new TypeError('broken'); }"

BEFORE = {
    "storage denied": storage(DENIED),
    "only the tab's storage denied": storage(DENIED, "sessionStorage"),
    "only the lasting storage denied": storage(DENIED, "localStorage"),
    "no storage": storage("{ configurable: true, value: null }"),
    "storage that cannot be written": "Storage.prototype.setItem = () => { throw new TypeError('full'); };",
    "full storage": FILL,
    "an icon beside fields": once_drawn(BESIDE_FIELDS),
    "elements in labels": once_drawn(IN_LABELS),
    "attributes and elements of a reader": once_drawn(ATTRIBUTES),
    "translated at once": once_drawn(GO_ON_TRANSLATING),
}
"""Faults before the scripts of a page run."""
ON_PLAIN_PAGE = {
    "the pages of the router are missing": "Object.defineProperty(window, '__reactRouterRouteModules', { set() {} });",
    "an effect throws": f"window.AbortController = {THROWS};",
    "an answer is no JSON": answers("return answer.slice(0, -1);"),
    "an answer is empty": answers(
        "return `${answer.slice(0, start)}['event',null]`.replaceAll(\"'\", '\"');"
    ),
    "an answer cannot be drawn": answers(
        "Document.prototype.createElement = () => { throw new TypeError('broken'); };"
    ),
    "an answer's event is rejected": answers(
        "(update.events ??= []).push({ name: '_redirect', payload: null });"
    ),
}
"""Faults before React begins."""
LATER = {
    "translated": TRANSLATE,
    "translated with new texts": TRANSLATE_ANEW,
    "only the button is translated": TRANSLATE_BUTTON,
    "storage becomes full": FILL,
    "a handler throws": "window.FormData = class { constructor() { throw new TypeError('broken'); } };",
}
"""Faults once React has begun."""
PREFERENCES = {"all cookies are blocked": {"profile.default_content_setting_values.cookies": 2}}
"""Faults by the settings of Chromium."""
NETWORK: dict[str, tuple[str, Mapping[str, object]]] = {
    "scripts fail": ("Network.setBlockedURLs", {"urls": ["*/assets/*.js"]}),
    "scripts hang": ("Fetch.enable", {"patterns": [{"urlPattern": "*/assets/*.js"}]}),
}
"""Faults of Chromium's network."""
FAULTS = (*PREFERENCES, *BEFORE, *ON_PLAIN_PAGE, *LATER, *NETWORK)
WITHOUT_REACT = ("the pages of the router are missing", "an effect throws", *NETWORK)
"""React never begins or fails at once."""
ELSEWHERE = (
    "storage denied",
    "no storage",
    "full storage",
    "translated",
    "an icon beside fields",
    "an answer cannot be drawn",
)
"""Faults in Firefox."""
IN_WEBKIT = (
    "translated",
    "storage becomes full",
    "an answer is no JSON",
    "an answer cannot be drawn",
    "an effect throws",
)
"""Its driver runs nothing before a page's scripts."""


def block(window: BiDi, method: str, params: Mapping[str, object]) -> None:
    """Break Chromium's network in this manner."""
    session = window.command("goog:cdp.getSession", context=window.context)["session"]
    for name, value in (("Network.enable", {}), (method, params)):
        window.command("goog:cdp.sendCommand", method=name, params=value, session=session)


@contextmanager
def faulty_browser(engine: str, fault: str, site: RunningSite) -> Iterator[Browser]:
    """A browser with faults that do not wait for a page."""
    start = partial(chromium, preferences=PREFERENCES[fault]) if fault in PREFERENCES else ENGINES[engine]
    with start() as window:
        if fault in BEFORE:
            assert isinstance(window, BiDi)
            window.prepare(f"() => {{ {BEFORE[fault]} }}")
        if fault in NETWORK:
            assert isinstance(window, BiDi)
            block(window, *NETWORK[fault])
        window.resize(*PHONE)
        yield Browser(window, site.url)


def inject(engine: Engine, change: str) -> None:
    engine.evaluate(f"(() => {{ {change} }})()")


def fill(browser: Browser, site: RunningSite, form: Form, fault: str, address: str) -> str:
    """Open the page and fill in its form, with the fault on the way; the name of the button."""
    browser.open(form.path)
    inject(browser.engine, ON_PLAIN_PAGE.get(fault, ""))
    browser.type(form.address, address, form.name)
    if fault not in WITHOUT_REACT:
        browser.wait_until(lambda: browser.engine.evaluate(HYDRATED), "the page is hydrated")
    inject(browser.engine, LATER.get(fault, ""))
    for label, text in form.texts.items():
        browser.type(label, text, form.name)
    for box in form.boxes:
        browser.check(box, form.name)
    return form.button or choose_free_time(browser, site)


def choose_free_time(browser: Browser, site: RunningSite) -> str:
    """Choose a time, again if the plain page has come back meanwhile; the name of the button."""
    day, time = free_slot(site)
    was_plain = browser.engine.evaluate(FAILED)
    try:
        choose_time(browser, day, time)
    except AssertionError:
        if was_plain or not browser.engine.evaluate(FAILED):
            raise
        choose_time(browser, day, time)
    return f"Book at {time}|Select Time to Book"


HYDRATED = (
    "document.documentElement.matches('[data-hydrated]') || sessionStorage.getItem('react-failed') !== null"
)
FAILED = "sessionStorage.getItem('react-failed') !== null && document.documentElement.matches(':not([data-hydrated])')"
VALUES = "[...document.querySelectorAll('input, textarea')].map((one) => one.value)"
CHOICES = "[...document.querySelectorAll('main [type=radio]:checked')].map((one) => one.value)"


def send(browser: Browser, form: Form, button: str, typed: set[str]) -> None:
    """Send the form; again if the plain page has come back, which has what was typed."""

    def is_thanked() -> bool:
        return form.thanks in browser.text()

    assert typed <= set(browser.engine.evaluate(VALUES))
    was_plain = browser.engine.evaluate(FAILED)
    browser.click(button, within=form.name)
    browser.wait_until(
        lambda: is_thanked() or (not was_plain and browser.engine.evaluate(FAILED)), "an answer", AGAIN
    )
    if not is_thanked():
        assert typed <= set(browser.engine.evaluate(VALUES))
        browser.click(button, within=form.name)
        browser.wait_for(form.thanks)


def finish(browser: Browser, site: RunningSite, form: Form, fault: str) -> None:
    """Fill in and send the form: one record, and no page of errors."""
    address = new_address()
    button = fill(browser, site, form, fault, address)
    send(browser, form, button, {address, *form.texts.values()})
    assert site.rows(f"SELECT count(*) FROM {form.table} WHERE email = ?", address) == [(1,)]
    assert not [words for words in ("Application Error", "Unexpected", " at http") if words in browser.text()]


@pytest.mark.parametrize("fault", ["no storage", "translated", "an answer cannot be drawn", "scripts hang"])
def test_a_message_can_be_sent(site: RunningSite, fault: str) -> None:
    with faulty_browser("chromium", fault, site) as browser:
        finish(browser, site, FORMS["/contact"], fault)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("engine", "fault"),
    [
        *(("chromium", fault) for fault in FAULTS),
        *(("firefox", fault) for fault in ELSEWHERE),
        *(("webkit", fault) for fault in IN_WEBKIT),
    ],
)
@pytest.mark.parametrize("path", FORMS)
def test_every_form_can_be_finished_and_keeps_what_was_typed(
    site: RunningSite, engine: str, fault: str, path: str
) -> None:
    with faulty_browser(engine, fault, site) as browser:
        finish(browser, site, FORMS[path], fault)


@pytest.mark.thorough
@pytest.mark.parametrize("fault", BEFORE)
@pytest.mark.parametrize("journey", [pay, work], ids=lambda journey: journey.__name__)
def test_paying_and_the_back_office_work(
    site: RunningSite, fault: str, journey: Callable[[Browser, RunningSite], None]
) -> None:
    with faulty_browser("chromium", fault, site) as browser:
        browser.engine.resize(*DESKTOP)
        journey(browser, site)


def failures(site: RunningSite, page: str) -> float:
    """Return how many pages at that path have reported a failure of React."""
    return sum(
        sample.value
        for sample in read_samples(site)
        if sample.name == "agency_page_failures_total" and sample.labels["page"] == page
    )


def read_samples(site: RunningSite) -> list[Sample]:
    with urllib.request.urlopen(f"{site.url}/metrics", timeout=10) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    return [sample for family in families for sample in family.samples]


SCRIPTS = "performance.getEntriesByType('resource').filter(({ name }) => /assets.*js$/.test(name)).length"


def test_a_page_that_fails_keeps_its_place_is_reported_once_and_the_tab_stays_plain(
    site: RunningSite,
) -> None:
    form, fault, before = (
        FORMS["/signup/growth"],
        "an answer cannot be drawn",
        failures(site, "/signup/growth"),
    )
    with faulty_browser("chromium", fault, site) as browser:
        button = fill(browser, site, form, fault, new_address())
        browser.click("I have an existing domain", within=form.name)
        browser.click(button, within=form.name)
        browser.wait_until(lambda: browser.engine.evaluate(FAILED), "the page is plain")
        assert browser.engine.evaluate("[scrollY > 0, document.activeElement.textContent]") == [True, button]
        assert browser.engine.evaluate(CHOICES) == ["existing"]
        browser.wait_until(lambda: failures(site, "/signup/growth") == before + 1, "the failure is counted")
        browser.open("/about")
        browser.type("Where shall we send it?", new_address())
        assert browser.engine.evaluate(SCRIPTS) == 0
        browser.open(f"/payment?course={PAID_COURSE.slug}")
        assert browser.count("button", f"Pay {kes(PAID_COURSE.payment_price)}") == 1
        # A button that would do nothing.
        assert browser.count("button", "More") == 0


NEVER_LISTENS = """() => {
  const listen = window.addEventListener;
  window.addEventListener = function (kind, ...rest) {
    if (kind === "keydown" && window.__reactRouterRouteModules) throw new TypeError("broken");
    listen.call(this, kind, ...rest);
  };
}"""
"""An effect of every screen throws."""


def test_a_screen_of_the_back_office_that_fails_says_so_without_a_stack(site: RunningSite) -> None:
    with chromium() as window:
        browser = Browser(window, site.url)
        browser.open("/robots.txt")
        browser.sign_in(employ(site, Role.OWNER).token)
        window.prepare(NEVER_LISTENS)
        browser.open("/admin/bookings")
        browser.wait_for("This page could not be shown. Reloading it often helps.")
        assert "TypeError" not in browser.text()
