"""Pages before hydration: events that load scripts, and the browser's own behaviour until they run."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Request, Route, WebSocket, WebSocketRoute, expect

from agency_site.money import kes
from tests.e2e.conftest import PHONE, Opener, RunningSite, hydrated, reach, until, untouched
from tests.example_records import ARTICLE, DEAR_COURSE, PAID_COURSE, THIRD_COURSE
from tests.waiting import wait_until

SCRIPTS = re.compile(r"/assets/[\w.-]+\.js")


class Seen:
    """Scripts and sockets that a page requested."""

    def __init__(self) -> None:
        self.scripts: list[str] = []
        self.sockets: list[str] = []

    def watch(self, page: Page) -> None:
        """Note everything from now on."""

        def note(request: Request) -> None:
            if request.resource_type == "script":
                self.scripts.append(request.url)

        def open_socket(socket: WebSocket) -> None:
            self.sockets.append(socket.url)

        page.on("request", note)
        page.on("websocket", open_socket)


class Held:
    """Scripts, or other files, that do not arrive before they are released."""

    def __init__(self, files: re.Pattern[str] = SCRIPTS) -> None:
        self._files = files
        self._routes: list[Route] = []
        self._free = False

    def hold(self, page: Page) -> None:
        """Block all further scripts."""
        page.context.route(self._files, self._take)

    def _take(self, route: Route) -> None:
        if self._free:
            route.fallback()
        else:
            self._routes.append(route)

    def release(self) -> None:
        """Release the blocked scripts."""
        self._free = True
        for route in self._routes:
            route.fallback()


class Silent:
    """A server that receives nothing for a while: React runs already, and Python has not responded yet."""

    def __init__(self) -> None:
        self._server: WebSocketRoute | None = None
        self._unread: list[str | bytes] = []
        self._listens = False

    def watch(self, page: Page) -> None:
        """Relay between this page and the server."""
        page.route_web_socket(re.compile("/_event/"), self._between)

    def _between(self, ours: WebSocketRoute) -> None:
        self._server = ours.connect_to_server()
        ours.on_message(self._take)

    def _take(self, message: str | bytes) -> None:
        if self._listens and self._server:
            self._server.send(message)
        else:
            self._unread.append(message)

    def listen(self) -> None:
        """Deliver all messages that were held back."""
        self._listens = True
        for message in self._unread:
            self._take(message)


class Withheld:
    """Holds back messages of the server that contain these words until they are released."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._page: WebSocketRoute | None = None
        self._held: list[str | bytes] = []
        self._free = False

    def watch(self, page: Page) -> None:
        """Relay between this page and the server."""
        page.route_web_socket(re.compile("/_event/"), self._between)

    def _between(self, ours: WebSocketRoute) -> None:
        self._page = ours
        ours.connect_to_server().on_message(self._take)

    def _take(self, message: str | bytes) -> None:
        if self._page and (self._free or self._words not in str(message)):
            self._page.send(message)
        else:
            self._held.append(message)

    def wait(self, page: Page) -> None:
        """Wait until the server has shown the text."""
        # Messages are relayed while the page is asked something.
        wait_until(lambda: bool(page.title() and self._held))

    def release(self) -> None:
        """Release the messages."""
        self._free = True
        for message in self._held:
            self._take(message)


# After the page's own, in turn as in time (`web/build/hydration.js`). A browser with nothing to draw may not be idle for
# minutes.
IDLE = """new Promise((done) => {
  const latest = { timeout: 2000 };
  requestIdleCallback(() => requestIdleCallback(done, latest), latest);
})"""


def quiet(page: Page) -> None:
    """Wait until the browser has had time for what it does when idle."""
    page.wait_for_load_state("networkidle")
    page.evaluate(IDLE)


@pytest.mark.parametrize(
    "reach_for",
    [
        lambda page: page.get_by_label("Where shall we send it?").focus(),
        lambda page: page.get_by_label("Where shall we send it?").tap(),
    ],
    ids=["focus", "touch"],
)
def test_a_page_loads_scripts_and_opens_a_socket_once_a_visitor_reaches_for_a_control(
    open_page: Opener, reach_for: Callable[[Page], None]
) -> None:
    seen = Seen()
    page = open_page("/about", prepare=seen.watch, ready=untouched, viewport=PHONE, has_touch=True)
    quiet(page)
    assert (seen.scripts, seen.sockets) == ([], [])
    reach_for(page)
    expect(page.locator("html[data-hydrated]")).to_be_attached()
    assert len(seen.sockets) == 1


READING = (
    "/",
    "/about",
    "/academy",
    "/blog",
    "/book",
    f"/{PAID_COURSE.slug}",
    "/newsletter",
    "/payment",
    "/portfolio",
    "/services",
    "/terms",
    "/webinar",
    ARTICLE.href,
)
"""One of each kind, and more."""


def swipe(page: Page, x: int = 180, start: int = 650, end: int = 150) -> None:
    """Move a finger upwards over the page, and wait until the page has followed it."""
    before = page.evaluate("scrollY")
    session = page.context.new_cdp_session(page)
    for y in range(start, end, -50):
        kind = "touchStart" if y == start else "touchMove"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    # A page that became shorter meanwhile may end here.
    until(page, f"scrollY > {before} || scrollY >= document.documentElement.scrollHeight - innerHeight - 10")


@pytest.mark.parametrize("path", READING)
def test_reading_scrolling_and_the_menu_load_no_script(open_page: Opener, path: str) -> None:
    seen = Seen()
    page = open_page(path, prepare=seen.watch, ready=untouched, viewport=PHONE, has_touch=True)
    # Wherever the finger comes down: on text, pictures, links, and at last on the form in the footer. Fonts that come
    # meanwhile may make the page shorter.
    while page.evaluate("scrollY < document.documentElement.scrollHeight - innerHeight - 10"):
        swipe(page)
    page.get_by_role("contentinfo").get_by_text("©").tap()
    page.evaluate("scrollTo(0, 0)")
    page.locator(".menu > summary").tap()
    page.keyboard.press("Escape")
    page.mouse.move(40, 400, steps=2)
    quiet(page)
    assert (seen.scripts, seen.sockets) == ([], [])


SAVES = "Object.defineProperty(navigator.connection, 'saveData', { value: true });"


@pytest.mark.parametrize(
    "save",
    [
        lambda page: page.add_init_script(SAVES),
        lambda page: page.set_extra_http_headers({"Save-Data": "on"}),
    ],
    ids=["script", "header"],
)
def test_where_data_is_saved_only_a_button_that_needs_scripts_loads_them(
    open_page: Opener, save: Callable[[Page], None]
) -> None:
    seen = Seen()

    def prepare(page: Page) -> None:
        save(page)
        seen.watch(page)

    page = open_page(f"/payment?course={PAID_COURSE.slug}", prepare=prepare, ready=untouched)
    page.get_by_label("First Name").fill("Amina")
    page.get_by_text("A company pays").click()
    quiet(page)
    assert (seen.scripts, seen.sockets) == ([], [])
    page.get_by_role("button", name="More").click()
    expect(page.get_by_label("Quantity")).to_have_value("2")
    expect(page.get_by_label("First Name")).to_have_value("Amina")


@pytest.mark.thorough
def test_saved_courses_hydrate_the_pages_that_show_them(open_page: Opener) -> None:
    course = PAID_COURSE
    page = open_page(f"/{PAID_COURSE.slug}", ready=untouched)
    page.get_by_role("button", name="Save for later").click()
    expect(page.get_by_text("Saved in this browser.")).to_be_visible()
    page.goto("/academy")
    saved = page.get_by_role("region", name="Your saved courses")
    expect(saved.get_by_role("link", name=course.title)).to_be_visible()


def test_a_click_between_react_and_python_counts_once(open_page: Opener) -> None:
    silent = Silent()
    page = open_page(f"/{PAID_COURSE.slug}", prepare=silent.watch, ready=untouched)
    page.evaluate("window.clicks = 0; document.addEventListener('click', () => { window.clicks += 1; })")
    reach(page)
    until(
        page,
        "Object.keys(document.querySelector('main button')).some((key) => key.startsWith('__reactProps'))",
    )
    page.get_by_role("button", name="Save for later").click()
    silent.listen()
    expect(page.locator("html[data-hydrated]")).to_be_attached()
    assert page.evaluate("window.clicks") == 1
    expect(page.get_by_text("Saved in this browser.")).to_be_visible()


def turn_page(page: Page) -> Locator:
    """The button of the calendar's next month."""
    return page.get_by_role("button", name="Next month")


def shown_month(page: Page) -> str:
    """The month that the calendar shows."""
    return page.locator(".calendar table").get_attribute("aria-label") or ""


def expect_turned(page: Page, month: str) -> None:
    """Assert that the calendar shows another month."""
    expect(page.locator(".calendar table")).not_to_have_attribute("aria-label", month)


@pytest.mark.thorough
def test_the_keyboard_keeps_its_place_when_react_adopts_what_the_server_has_drawn(open_page: Opener) -> None:
    silent = Silent()
    page = open_page("/book", prepare=silent.watch, ready=untouched)
    month = shown_month(page)
    turn_page(page).focus()
    silent.listen()
    hydrated(page)
    expect(turn_page(page)).to_be_focused()
    page.keyboard.press("Space")
    expect_turned(page, month)


@pytest.mark.thorough
def test_a_link_that_the_server_drew_keeps_the_focus_when_react_adopts_it(open_page: Opener) -> None:
    silent = Silent()
    page = open_page("/blog?category=Email%20Marketing", prepare=silent.watch, ready=untouched)
    link = page.locator("page-region[name=posts]").get_by_role("link").last
    link.focus()
    silent.listen()
    hydrated(page)
    expect(link).to_be_focused()


@pytest.mark.thorough
@pytest.mark.parametrize("device", ["keyboard", "mouse"])
def test_a_click_that_ends_after_react_has_its_values_counts(open_page: Opener, device: str) -> None:
    silent = Silent()
    page = open_page("/book", prepare=silent.watch, ready=untouched)
    month = shown_month(page)
    turn_page(page).hover()
    turn_page(page).focus()
    if device == "keyboard":
        page.keyboard.down("Space")
    else:
        page.mouse.down()
    silent.listen()
    expect(page.locator("html[data-connected]")).to_be_attached()
    if device == "keyboard":
        page.keyboard.up("Space")
    else:
        page.mouse.up()
    expect_turned(page, month)


@pytest.mark.thorough
def test_a_month_that_is_turned_between_react_and_python_is_shown_by_the_server(open_page: Opener) -> None:
    page = open_page("/book", prepare=Silent().watch, ready=reach)
    month = shown_month(page)
    until(page, "Object.keys(document.forms[0]).some((key) => key.startsWith('__reactProps'))")
    turn_page(page).click()
    expect(page).to_have_url(re.compile(r"/book\?date=.*&month="))
    expect_turned(page, month)
    later = open_page(page.url.partition("#")[0], ready=hydrated)
    expect_turned(later, month)


def test_a_form_is_posted_at_once_while_scripts_are_on_their_way(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/contact", prepare=Held().hold, ready=untouched)
    form = page.get_by_role("form", name="Write to us")
    form.get_by_label("Email").fill("early@example.com")
    form.get_by_label("Message").fill("Karibu.")
    form.get_by_role("button", name="Send message").click()
    expect(page).to_have_url(re.compile("/contact/sent"))
    expect(page.get_by_text("Thank you for your message!")).to_be_visible()


@pytest.mark.thorough
def test_a_form_is_posted_at_once_between_react_and_python(open_page: Opener) -> None:
    page = open_page("/contact", prepare=Silent().watch, ready=untouched)
    form = page.get_by_role("form", name="Write to us")
    form.get_by_label("Email").fill("between@example.com")
    until(page, "Object.keys(document.forms[0]).some((key) => key.startsWith('__reactProps'))")
    form.get_by_label("Message").fill("Karibu.")
    form.get_by_role("button", name="Send message").click()
    expect(page).to_have_url(re.compile("/contact/sent"))


def test_the_page_of_a_refused_form_keeps_what_was_typed_once_scripts_run(open_page: Opener) -> None:
    held = Held()
    page = open_page("/contact", prepare=held.hold, ready=untouched, expect=("422",))
    form = page.get_by_role("form", name="Write to us")
    form.get_by_label("Email").fill("amina")
    form.get_by_label("Message").fill("Karibu.")
    form.get_by_role("button", name="Send message").click()
    expect(page).to_have_title(re.compile("^Error: "))
    held.release()
    hydrated(page)
    expect(form.get_by_label("Email")).to_have_value("amina")
    expect(form.get_by_label("Message")).to_have_value("Karibu.")


@pytest.mark.thorough
def test_typing_is_not_lost_to_an_answer_of_an_earlier_visit(open_page: Opener) -> None:
    page = open_page("/book")
    page.get_by_label("Where shall we send it?").fill("first@example.com")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    page.goto(f"/payment?course={PAID_COURSE.slug}", wait_until="commit")
    page.get_by_label("First Name").fill("Amina")
    page.get_by_label("Where shall we send it?").fill("second@example.com")
    hydrated(page)
    expect(page.get_by_role("button", name="Subscribe")).to_be_enabled()
    expect(page.get_by_label("Where shall we send it?")).to_have_value("second@example.com")
    expect(page.get_by_label("First Name")).to_have_value("Amina")


def test_a_quantity_step_before_scripts_run_is_taken_once_they_do(open_page: Opener) -> None:
    held = Held()
    page = open_page(f"/payment?course={THIRD_COURSE.slug}", prepare=held.hold, ready=untouched)
    page.get_by_role("button", name="More").click()
    held.release()
    expect(page.get_by_label("Quantity")).to_have_value("2")


@pytest.mark.thorough
def test_a_choice_made_before_scripts_run_counts_once_they_do(open_page: Opener) -> None:
    held = Held()
    chosen = DEAR_COURSE
    page = open_page(f"/payment?course={PAID_COURSE.slug}", prepare=held.hold, ready=untouched)
    page.get_by_label("Course", exact=True).select_option(chosen.slug)
    page.get_by_label("First Name").fill("Amina")
    held.release()
    expect(page.get_by_role("button", name=f"Pay {kes(chosen.payment_price)}")).to_be_visible()
    expect(page.get_by_label("Course", exact=True)).to_have_value(chosen.slug)
    expect(page.get_by_label("First Name")).to_have_value("Amina")


def test_links_and_menus_work_before_scripts_run(open_page: Opener) -> None:
    held = Held()
    page = open_page("/about", prepare=held.hold, ready=untouched, viewport=PHONE)
    page.locator(".menu > summary").click()
    page.get_by_role("navigation", name="Menu").get_by_role("link", name="Academy", exact=True).click()
    expect(page).to_have_url(re.compile("/academy$"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()


@pytest.mark.thorough
def test_scripts_that_could_not_be_fetched_are_tried_again(open_page: Opener) -> None:
    def break_off(page: Page) -> None:
        page.context.route(SCRIPTS, lambda route: route.abort())

    page = open_page("/about", prepare=break_off, ready=untouched, expect=("net::ERR_FAILED",))
    with page.expect_event("requestfailed"):
        reach(page)
    page.context.unroute(SCRIPTS)
    hydrated(page)


def test_the_page_for_unknown_paths_is_plain_html(site: RunningSite, open_page: Opener) -> None:
    seen = Seen()
    page = open_page("/nothing/here", expect=("404",), prepare=seen.watch, ready=untouched)
    page.get_by_label("Where shall we send it?").fill("lost@example.com")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    assert page.url == f"{site.url}/newsletter/subscribed"
    assert seen.scripts == []


@pytest.mark.thorough
def test_scripts_of_an_earlier_build_leave_a_plain_page(open_page: Opener) -> None:
    page = open_page(
        "/contact",
        prepare=lambda page: page.context.route(SCRIPTS, lambda route: route.fulfill(status=404)),
        ready=untouched,
        expect=("404", "dynamically imported"),
    )
    form = page.get_by_role("form", name="Write to us")
    with page.expect_response(SCRIPTS):
        form.get_by_label("Email").fill("upgraded@example.com")
    form.get_by_label("Message").fill("Karibu.")
    form.get_by_role("button", name="Send message").click()
    expect(page).to_have_url(re.compile("/contact/sent"))


def test_a_link_to_another_page_loads_it_as_a_whole(open_page: Opener) -> None:
    page = open_page("/")
    page.evaluate("window.isFirst = true")
    page.get_by_role("banner").get_by_role("link", name="Contact").click()
    expect(page).to_have_url(re.compile("/contact$"))
    assert page.evaluate("window.isFirst === undefined")


def test_a_page_that_was_changed_before_hydration_stays_plain(open_page: Opener) -> None:
    """Change the markup like an extension, so that React would draw it anew without what only the server has drawn."""
    path = f"/payment?course={PAID_COURSE.slug}"
    page = open_page(path, ready=untouched, expect=("Minified React error #418",))
    page.evaluate("document.querySelector('main form').prepend(document.createElement('i'))")
    page.get_by_label("First Name").fill("Amina")
    expect(page.locator("html:not([data-scripts])")).to_be_attached()
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    expect(page.get_by_label("First Name")).to_be_focused()
    expect(page.get_by_label("Course", exact=True)).to_have_value(PAID_COURSE.slug)
    expect(page.locator("main form > i")).to_be_attached()
