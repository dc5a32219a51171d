"""The first-action matrix: a control does the same as the first action on a page, after hydration, and on a slow network.

Controls are found in the HTML of one page of each kind, each component once. What a visitor could notice afterwards is compared:
address, what is open or chosen, focus, scroll position, text of fields, messages, windows.

`make test-all` covers one page, `make first-actions` those that together have every kind of control.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pprint import pformat
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page

from tests.e2e.conftest import PHONE, WIDE, RunningSite, hydrated
from tests.e2e.slow_phone import slow_down

pytestmark = pytest.mark.thorough

FRAME_OF = "/about"
"""Header, footer and ordinary links are the same on all pages; they are used on this one."""
PAGES = (
    "/", FRAME_OF, "/academy", "/blog", "/book", "/contact", "/digital-marketing-masterclass", "/email-marketing-blog",
    "/google-ads", "/newsletter", "/payment", "/portfolio", "/resources", "/signup/growth", "/terms", "/video-blog",
    "/webinar", "/webinar/plan-2027",
)  # fmt: skip
"""One of each kind."""
ALWAYS = ((FRAME_OF, 390),)
"""Page and width of `make test-all`: a page takes a minute."""
CHOSEN = os.environ.get("FIRST_ACTIONS", "")
"""Paths with spaces between them, or `all`."""
SAME_PLACE_PX = 100
AT_ONCE = 3
"""Pages that are open at the same time: some wait for the network, but Chromium slows a processor down by keeping it busy."""
POLL_MS, AT_REST, MOST_LOOKS = 200, 6, 100
TYPED = "Amina"

# Selector and kind of every control that a visitor can see. Kind is what makes two of them the same component.
_FIND = """(everywhere) => {
  const path = (element) => {
    // A choice that React draws as push buttons.
    if (element.type === "radio") return `[name="${element.name}"][value="${element.value}"]`;
    if (element.id) return `#${CSS.escape(element.id)}`;
    // React draws the region with other elements of the same names.
    const label = element.getAttribute("aria-label");
    if (label && element.closest("page-region")) return `page-region ${element.localName}[aria-label="${CSS.escape(label)}"]`;
    const place = [...element.parentElement.children].indexOf(element) + 1;
    const own = `${element.localName}:nth-child(${place})`;
    return element.parentElement === document.body ? `body > ${own}` : `${path(element.parentElement)} > ${own}`;
  };
  const link = (element) => {
    const { href, origin } = element;
    if (/^(tel|mailto|sms):/.test(href)) return null;
    if (element.getAttribute("href").startsWith("#")) return "fragment";
    if (origin !== location.origin) return element.dataset.window ? "window" : "outside";
    if (element.download || /[.](ics|pdf|xml|atom|json)$/.test(element.pathname)) return null;
    if (element.search || element.hash) return `page with ${element.search ? "query" : ""}${element.hash ? "fragment" : ""}`;
    return everywhere ? "page" : null;
  };
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && element.checkVisibility({ visibilityProperty: true }) && !element.closest("[inert]")
      && !element.disabled && !element.readOnly;
  };
  const answer = (element) => {
    const posts = submits(element) && element.form.method === "post";
    const address = posts ? element.getAttribute("formaction") ?? element.form.action : element.href;
    if (!address) return "";
    const { pathname, search, hash } = new URL(address, location.href);
    return pathname + search + hash;
  };
  const submits = (element) => element.matches("button") && element.form && element.type === "submit";
  const text = ["text", "email", "tel", "search", "url"];
  const found = new Map();
  for (const element of document.querySelectorAll("a[href],summary,button,select,input,textarea,[role=tab]")) {
    if (!shown(element) || (!everywhere && !element.closest("main"))) continue;
    const what = element.matches("a") ? link(element) : text.includes(element.type) ? "text" : element.type ?? "";
    if (what === null) continue;
    const role = element.getAttribute("role") ?? "";
    const named = element.matches("input,select,textarea") ? "" : element.className;
    const form = submits(element) ? new URL(element.form.action).pathname : "";
    const kind = ["page", "outside", "window"].includes(what) ? what : [element.localName, role, what, named, form].join(" ");
    if (found.has(kind)) continue;
    const selector = path(element);
    found.set(kind, {
      kind, selector, tag: element.localName, type: element.type ?? "",
      page: answer(element),
    });
  }
  return [...found.values()];
}"""
# Playwright scrolls as it needs to reach a control, so where a click came counts as the start.
_KEEP_CLICK = """addEventListener("pointerdown", () => {
  const { pathname, search, hash } = location;
  sessionStorage.setItem("clicked", JSON.stringify([pathname + search + hash, scrollY]));
}, true)"""
# A heading that got focus after a navigation inside the site counts as the start of the page, where a loaded page begins.
_RESULT = """() => {
  const words = (element) => (element.getAttribute("aria-label") ?? element.innerText ?? "").trim().slice(0, 40);
  const name = (element) => element.id || element.name || words(element);
  const active = document.activeElement;
  const start = !active || active === document.body || active.matches("h1,main");
  const states = "details[open],dialog[open],[aria-expanded=true],[aria-selected=true],[aria-pressed=true],:popover-open";
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const target = document.querySelector(":target");
  const inWindow = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  const messages = [...document.querySelectorAll(".field-error,.notice-error")]
    .filter((one) => shown(one) && one.innerText.trim());
  const address = location.pathname + location.search + location.hash;
  const [clickedOn, clickedAt] = JSON.parse(sessionStorage.getItem("clicked") ?? "[]");
  return {
    address,
    open: [...document.querySelectorAll(states)].filter(shown).map(name),
    focus: start ? "start" : name(active),
    scroll: Math.round(scrollY - (clickedOn === address ? clickedAt : 0)),
    fields: [...document.querySelectorAll("input,select,textarea")].filter(shown)
      .map((field) => `${field.name}: ${/checkbox|radio/.test(field.type) ? field.checked : field.value}`),
    messages: [...new Set(messages.map((one) => one.innerText.trim()))].sort(),
    seen: messages.length ? messages.some(inWindow) : !target || inWindow(target),
  };
}"""
_ANSWERED = """(path) => {
  const { dataset } = document.documentElement;
  const loads = performance.getEntriesByType("resource").some(({ name }) => /assets\\/.*[.]js$/.test(name));
  const waits = loads && document.querySelector("#scripts") && location.pathname === path && !("hydrated" in dataset);
  return document.readyState === "complete" && !waits && !document.querySelector(".form-wait:not(:empty)");
}"""


@dataclass(frozen=True)
class Control:
    """One control of a page."""

    kind: str
    selector: str
    tag: str
    type: str
    page: str
    """Address to which its form or link leads: until scripts run the browser opens it."""

    def use(self, page: Page) -> None:
        """Use the control like a visitor."""
        target = page.locator(self.selector)
        target.wait_for(state="attached")
        # Nothing is painted before the stylesheets are there, and visitors do not use what is not painted.
        page.evaluate("new Promise(requestAnimationFrame)")
        if self.kind.rstrip().endswith(" skip"):
            # Not to be seen before the keyboard reaches it.
            target.press("Enter", no_wait_after=True)
        elif self.tag == "select":
            target.select_option(index=1)
        elif self.type in {"date", "time", "number"}:
            target.press("ArrowUp")
        elif self.tag == "textarea" or self.type in {"text", "email", "tel", "search", "url"}:
            target.press_sequentially(TYPED)
        else:
            # The label covers a box.
            target.click(no_wait_after=True, force=self.type in {"checkbox", "radio"})


@dataclass(frozen=True)
class Result:
    """The visible effects of an action."""

    address: str
    open: Sequence[str]
    focus: str
    scroll: int
    """From where the click came on the same page, else from the top."""
    fields: Sequence[str]
    messages: Sequence[str]
    seen: bool
    """Whether a message, or what the address names, is in the window if there is one."""
    windows: Sequence[str]

    def differences(self, other: "Result", control: Control) -> dict[str, tuple[Any, Any]]:
        """Names of what differs, with both values.

        Until scripts run a form or a link may be answered by a page of its own, which begins at what was asked for: then messages
        count, and that the answer is in the window.
        """
        here, there = vars(self), vars(other)
        # An empty newsletter box, posted to /newsletter/subscribe, leads to /newsletter.
        is_page = other.address != self.address and control.page.startswith(other.address)
        names = ("messages", "seen", "windows") if is_page else tuple(here)
        return {
            name: (here[name], there[name])
            for name in names
            if here[name] != there[name]
            and not (name == "scroll" and abs(here[name] - there[name]) <= SAME_PLACE_PX)
        }


class Tab:
    """A page in a context of its own on which one control is used. Nothing moves by itself, other sites are not visited."""

    def __init__(self, browser: Browser, site: RunningSite, viewport: dict[str, int], path: str) -> None:
        context = browser.new_context(
            viewport=viewport,  # type: ignore[arg-type]
            base_url=site.url,
            service_workers="block",
            reduced_motion="reduce",
        )
        context.set_default_timeout(30_000)
        context.route(lambda url: not url.startswith(site.url), lambda route: route.fulfill(body=""))
        context.add_init_script(_KEEP_CLICK)
        self.page = context.new_page()
        self._path = path

    def open(self) -> None:
        """Begin to load the page."""
        self.page.goto(self._path, wait_until="commit")

    def slow_down(self) -> None:
        """Become a slow phone on a slow network."""
        slow_down(self.page)

    def result(self) -> Result:
        """Return the content of the page, and the windows that it has opened."""
        windows = sorted(other.url for other in self.page.context.pages if other is not self.page)
        return Result(**self._evaluate(_RESULT), windows=windows)

    def is_answered(self) -> bool:
        """Return whether the page is at rest: loaded, hydrated, no click or form waits."""
        return bool(self._evaluate(_ANSWERED))

    def _evaluate(self, function: str) -> Any:
        for _ in range(AT_REST):
            try:
                return self.page.evaluate(function, self._path)
            except Error:
                # One page goes and the next comes.
                self.page.wait_for_load_state("domcontentloaded")
        raise AssertionError(f"{self.page.url} never stays")

    def close(self) -> None:
        """Close its windows too."""
        self.page.context.close()


def open_hydrated(tab: Tab) -> None:
    """Wait until scripts handle every control."""
    tab.open()
    tab.page.wait_for_load_state("domcontentloaded")
    hydrated(tab.page)


def open_slowly(tab: Tab) -> None:
    """Slow down the phone and the network."""
    tab.slow_down()
    tab.open()


Results = Mapping[Control, Result]
Way = Callable[[Tab], None]


def results_of(
    controls: Sequence[Control], make_tab: Callable[[], Tab], way: Way, wanted: Results | None = None
) -> Results:
    """Return the effect of each control on a page opened this way, once it is `wanted` or the page is at rest."""
    waiting, tabs, result = list(controls), dict[Control, Tab](), dict[Control, list[Result]]()

    def is_over(control: Control) -> bool:
        results = result[control]
        if wanted is None:
            return len(results) >= AT_REST and all(result == results[-1] for result in results[-AT_REST:])
        # What hydration changes it changes at once.
        return len(results) >= 2 and not any(
            wanted[control].differences(result, control) for result in results[-2:]
        )

    while waiting or tabs:
        while waiting and len(tabs) < AT_ONCE:
            control, tab = waiting.pop(0), make_tab()
            way(tab)
            if way is open_hydrated and not tab.page.locator(control.selector).is_enabled():
                # Until something else is chosen.
                tab.close()
                continue
            tabs[control], result[control] = tab, []
            control.use(tab.page)
        for control, tab in list(tabs.items()):
            tab.page.wait_for_timeout(POLL_MS / len(tabs))
            result[control].append(tab.result())
            if (tab.is_answered() and is_over(control)) or len(result[control]) > MOST_LOOKS:
                tabs.pop(control).close()
    return {control: results[-1] for control, results in result.items()}


def chosen_pages() -> Iterator[tuple[str, int]]:
    """Paths and widths."""
    if not CHOSEN:
        yield from ALWAYS
        return
    for path in PAGES if CHOSEN == "all" else CHOSEN.split():
        yield path, PHONE["width"]
        yield path, WIDE["width"]


@pytest.mark.parametrize(("path", "width"), list(chosen_pages()))
def test_a_control_does_the_same_first_later_and_on_a_slow_network(
    site: RunningSite, browser: Browser, path: str, width: int
) -> None:
    viewport = PHONE if width == PHONE["width"] else WIDE
    make_tab = partial(Tab, browser, site, viewport, path)
    tab = make_tab()
    tab.open()
    tab.page.wait_for_load_state()
    controls = [Control(**item) for item in tab.page.evaluate(_FIND, path == FRAME_OF)]
    tab.close()
    wanted = results_of(controls, make_tab, open_hydrated)
    differences = {
        (way.__name__, control.kind, control.selector): different
        for way in (Tab.open, open_slowly)
        for control, result in results_of(list(wanted), make_tab, way, wanted).items()
        if (different := wanted[control].differences(result, control))
    }
    assert not differences, pformat(differences, width=160)
