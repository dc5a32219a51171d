"""How long a page keeps a slow phone busy before a visitor does anything, and how soon the first two taps show an effect.

Chromium runs with a quarter of the processor's speed. A task blocks for what exceeds 50 ms of it, as in Lighthouse's total
blocking time; every task after the first paint counts until the page has been left alone for `ALONE_SECONDS`. Tasks are
measured in processor time of their thread, so that what else the machine does counts little. Responses are elapsed time.
"""

import itertools
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

from playwright.sync_api import Browser

from agency_site import clock
from agency_site.web.build.publish import site_folder
from tests.bench.paint import SLOWER
from tests.bench.running import chromium, heading, running_site
from tests.bench.weight import public_pages
from tests.page_weight import Folder

COMMAND = "python -m tests.bench.blocking"
RUNS = 3
MOST_MS = 100
"""Budget of the total, and of each task."""
RESPONSE_MS = 100
"""Budget of a tap."""
ALONE_SECONDS = 8
"""Home changes its first slide after 5 s."""
_TAPPED = {"/": ".hero-dot", "/book": ".slot"}
"""What is tapped, by path: the first two of them."""
_SECOND_TAP_SECONDS = 0.3
"""After the first tap: scripts load, or React begins."""
TAPS_AT_MS = (0, 300, 1000, 2000, 4000)
"""When a visitor taps first, after `load`."""
_FREE_MS = 50
_ANSWERED_SECONDS = 3
_SCREEN = {"width": 412, "height": 823, "deviceScaleFactor": 1.75, "mobile": True}
"""`paint.MOTO` in the format of DevTools."""
_TRACE = {"includedCategories": ["toplevel", "loading", "blink.user_timing"]}
_PLACES = """(() => {
  const two = [...document.querySelectorAll("%s")].slice(0, 2);
  two[0].scrollIntoView({ block: "center", behavior: "instant" });
  return two.map((one) => one.getBoundingClientRect()).map(({ x, y, width, height }) => [x + width / 2, y + height / 2]);
})()"""
_OBSERVE = """(() => {
  window.responses = {};
  // Observed from the beginning: the browser's own list leaves out what takes less than 104 ms.
  new PerformanceObserver((list) => {
    for (const { interactionId: id, duration } of list.getEntries())
      if (id) responses[id] = Math.max(responses[id] ?? 0, duration);
  }).observe({ type: "event", durationThreshold: 16 });
  return true;
})()"""
_RESPONSES = "Object.values(responses)"

Event = dict[str, Any]


@dataclass(frozen=True)
class Blocking:
    """Milliseconds that a page blocks before a visitor does anything."""

    total: float
    longest: float

    @property
    def is_within_budget(self) -> bool:
        """Return whether both are within their budget."""
        return max(self.total, self.longest) <= MOST_MS


class UnwatchedTab:
    """A tab of a slow phone, in a fresh context, that Playwright does not watch.

    Playwright enables DevTools' network and console domains. They record the stack of whatever a script requests, and V8 parses
    the functions on it again (`V8.CollectSourcePositions`): the larger part of home's longest task, which no visitor pays.
    """

    def __init__(self, browser: Browser) -> None:
        self._session = browser.new_browser_cdp_session()
        self._session.on("Target.receivedMessageFromTarget", self._keep_answer)
        self._numbers, self._answers = itertools.count(1), dict[int, Event]()
        self._context = self._session.send("Target.createBrowserContext")["browserContextId"]
        blank = {"url": "about:blank", "browserContextId": self._context}
        self._target = self._session.send("Target.createTarget", blank)
        self._attached = self._session.send("Target.attachToTarget", {**self._target, "flatten": False})
        self._send("Emulation.setDeviceMetricsOverride", **_SCREEN)
        self._send("Emulation.setTouchEmulationEnabled", enabled=True)
        self._send("Emulation.setCPUThrottlingRate", rate=SLOWER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._session.send("Target.disposeBrowserContext", {"browserContextId": self._context})
        self._session.detach()

    def open(self, url: str) -> None:
        """Go there and wait for `load`."""
        self._send("Page.navigate", url=url)
        while not self.evaluate("document.readyState === 'complete' && location.protocol !== 'about:'"):
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """Return the value of the expression, or of its promise, in the page."""
        return self._send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)[
            "result"
        ]["value"]

    def tap(self, x: float, y: float) -> None:
        """Touch the screen for a moment."""
        self._send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self._send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def trace(self, url: str, seconds: float) -> list[Event]:
        """Return the browser's trace events from the beginning of the navigation."""
        events: list[Event] = []
        ended: list[Event] = []
        self._session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
        self._session.on("Tracing.tracingComplete", lambda data: ended.append(data))
        self._session.send("Tracing.start", {"traceConfig": _TRACE, "transferMode": "ReportEvents"})
        self._send("Page.navigate", url=url)
        time.sleep(seconds)
        self._session.send("Tracing.end")
        while not ended:
            self._let_events_in()
        return events

    def _send(self, method: str, **parameters: object) -> Event:
        number = next(self._numbers)
        message = json.dumps({"id": number, "method": method, "params": parameters})
        self._session.send("Target.sendMessageToTarget", {**self._attached, "message": message})
        while number not in self._answers:
            self._let_events_in()
        result: Event = self._answers.pop(number)["result"]
        return result

    def _let_events_in(self) -> None:
        self._session.send("Target.getTargetInfo", self._target)

    def _keep_answer(self, received: Event) -> None:
        message = json.loads(received["message"])
        if "id" in message:
            self._answers[message["id"]] = message


def left_alone(browser: Browser, url: str) -> Blocking:
    """Open the page and do nothing."""
    with UnwatchedTab(browser) as tab:
        tasks = tasks_after_paint(tab.trace(url, ALONE_SECONDS), url)
    return Blocking(sum(max(0, task - _FREE_MS) for task in tasks), max(tasks, default=0))


def tasks_after_paint(events: Sequence[Event], url: str) -> list[float]:
    """Milliseconds of processor time of the page's tasks; of the one that painted first, only what came after."""
    results = (
        event for event in events if event["name"] == "navigationStart" and url in json.dumps(event["args"])
    )
    page = max(results, key=lambda result: result["ts"])
    paint = max(
        event["ts"]
        for event in events
        if event["name"] == "firstContentfulPaint" and event["pid"] == page["pid"]
    )
    return [
        min(event["tdur"], event["ts"] + event["dur"] - paint) / 1000
        for event in events
        if event["name"].endswith("RunTask")
        and (event["pid"], event["tid"]) == (page["pid"], page["tid"])
        and event.get("tdur")
        and event["ts"] + event["dur"] > paint
    ]


def two_taps(browser: Browser, url: str, selector: str, after_ms: int) -> tuple[float, float]:
    """INP of the first tap, which is the first thing that happens on the page, and of the next one."""
    with UnwatchedTab(browser) as tab:
        tab.open(url)
        first, second = tab.evaluate(_PLACES % selector)
        tab.evaluate(_OBSERVE)
        time.sleep(after_ms / 1000)
        tab.tap(*first)
        time.sleep(_SECOND_TAP_SECONDS)
        tab.tap(*second)
        time.sleep(_ANSWERED_SECONDS)
        first_ms, second_ms = tab.evaluate(_RESPONSES)
    return first_ms, second_ms


def median(blockings: Sequence[Blocking]) -> Blocking:
    """Return the medians of total and longest task separately."""
    return Blocking(
        statistics.median(blocking.total for blocking in blockings),
        statistics.median(blocking.longest for blocking in blockings),
    )


def main(routes: Sequence[str] = (), runs: int = RUNS) -> None:
    """Measure and print; without `routes` every public page."""
    heading(
        f"Blocking before a visitor does anything, median of {runs}; processor slowed {SLOWER} times", COMMAND
    )
    with running_site() as server, chromium() as browser:
        paths = routes or [page.path for page in public_pages(Folder(site_folder(server.url)))]
        print(f"{'path':<42}{'total':>10}{'longest':>12}")
        within_budget = 0
        for path in paths:
            result = median([left_alone(browser, server.url + path) for _ in range(runs)])
            within_budget += result.is_within_budget
            print(f"{path:<42}{result.total:7.0f} ms{result.longest:9.0f} ms", flush=True)
        print(f"{within_budget} of {len(paths)} pages within {MOST_MS} ms\n")
        for path, selector in _TAPPED.items():
            for after_ms in TAPS_AT_MS if path in paths else ():
                taps = [
                    two_taps(browser, server.url + _with_day(path), selector, after_ms) for _ in range(runs)
                ]
                first, second = (statistics.median(tap) for tap in zip(*taps, strict=True))
                print(
                    f"taps on {path} {after_ms:5} ms after load: {first:5.0f} and {second:5.0f} ms of {RESPONSE_MS}",
                    flush=True,
                )


def _with_day(path: str) -> str:
    """Return the path of a page on which there is something to tap: the next few days may have one free time only."""
    today = clock.today()
    wednesday = today + timedelta(days=9 - today.weekday())
    return f"{path}?date={wednesday}" if path == "/book" else path


if __name__ == "__main__":
    main(sys.argv[1:])
