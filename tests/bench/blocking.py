"""How long a page keeps a slow phone busy before user activity, and how soon home responds to the first tap.

Chromium runs with a quarter of the processor's speed. A task blocks for what exceeds 50 ms of it, as in Lighthouse's total
blocking time; every task after the first paint counts until the page has been left alone for `ALONE_MS`. Tasks are measured in
processor time of their thread, so that what else the machine does counts little. Responses are elapsed time.
"""

import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from agency_site.web.build.publish import site_folder
from tests.bench.paint import MOTO, SLOWER
from tests.bench.running import chromium, heading, running_site
from tests.bench.weight import public_pages
from tests.page_weight import Folder

COMMAND = "python -m tests.bench.blocking"
RUNS = 3
MOST_MS = 100
"""Budget of the total, and of each task."""
RESPONSE_MS = 200
"""Budget of the first tap."""
ALONE_MS = 8000
"""Home changes its first slide 5 s after hydration."""
TAPS_AT_MS = (0, 300, 1000, 2000, 4000)
"""When a visitor taps first, after `load`."""
_FREE_MS = 50
_TRACE = {"includedCategories": ["toplevel", "loading", "blink.user_timing"]}
_RESPONSE = """new Promise((done) => {
  let longest = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (one.interactionId) longest = Math.max(longest, one.duration);
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  setTimeout(() => done(longest), 200);
})"""

Event = dict[str, Any]


@dataclass(frozen=True)
class Blocking:
    """Milliseconds that a page blocks before user activity."""

    total: float
    longest: float

    @property
    def kept(self) -> bool:
        """Whether both are within their budget."""
        return max(self.total, self.longest) <= MOST_MS


def open_slowly(browser: Browser, url: str) -> Page:
    """The page in a fresh context, its processor slowed."""
    context = browser.new_context(service_workers="block", **MOTO)  # type: ignore[arg-type]
    tab = context.new_page()
    context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    tab.goto(url, timeout=60_000)
    return tab


def left_alone(browser: Browser, url: str) -> Blocking:
    """Open the page and do nothing."""
    session = browser.new_browser_cdp_session()
    events: list[Event] = []
    ended: list[object] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda data: ended.append(data))
    session.send("Tracing.start", {"traceConfig": _TRACE, "transferMode": "ReportEvents"})
    tab = open_slowly(browser, url)
    tab.wait_for_timeout(ALONE_MS)
    session.send("Tracing.end")
    while not ended:
        tab.wait_for_timeout(50)
    tab.context.close()
    session.detach()
    tasks = tasks_after_paint(events, url)
    return Blocking(sum(max(0, task - _FREE_MS) for task in tasks), max(tasks, default=0))


def tasks_after_paint(events: Sequence[Event], url: str) -> list[float]:
    """Milliseconds of processor time of the page's tasks; of the one that painted first, only what came after."""
    begun = (one for one in events if one["name"] == "navigationStart" and url in json.dumps(one["args"]))
    page = max(begun, key=lambda one: one["ts"])
    paint = max(
        one["ts"] for one in events if one["name"] == "firstContentfulPaint" and one["pid"] == page["pid"]
    )
    return [
        min(one["tdur"], one["ts"] + one["dur"] - paint) / 1000
        for one in events
        if one["name"].endswith("RunTask")
        and (one["pid"], one["tid"]) == (page["pid"], page["tid"])
        and one.get("tdur")
        and one["ts"] + one["dur"] > paint
    ]


def first_tap(browser: Browser, url: str, after_ms: int) -> float:
    """INP of a tap on the carousel's second dot, which is the first thing that happens on the page."""
    tab = open_slowly(browser, url)
    box: Any = tab.locator(".hero-dot").nth(1).bounding_box()
    tab.wait_for_timeout(after_ms)
    tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.wait_for_timeout(3000)
    response: float = tab.evaluate(_RESPONSE)
    tab.context.close()
    return response


def median(blockings: Sequence[Blocking]) -> Blocking:
    """Of total and longest task apart."""
    return Blocking(
        statistics.median(one.total for one in blockings), statistics.median(one.longest for one in blockings)
    )


def main(routes: Sequence[str] = (), runs: int = RUNS) -> None:
    """Measure and print; without `routes` every public page."""
    heading(f"Blocking before user activity, median of {runs}; processor slowed {SLOWER} times", COMMAND)
    with running_site() as server, chromium() as browser:
        paths = routes or [page.path for page in public_pages(Folder(site_folder(server.url)))]
        print(f"{'path':<42}{'total':>10}{'longest':>12}")
        kept = 0
        for path in paths:
            found = median([left_alone(browser, server.url + path) for _ in range(runs)])
            kept += found.kept
            print(f"{path:<42}{found.total:7.0f} ms{found.longest:9.0f} ms", flush=True)
        print(f"{kept} of {len(paths)} pages within {MOST_MS} ms\n")
        if "/" in paths:
            for after_ms in TAPS_AT_MS:
                taken = statistics.median(first_tap(browser, server.url, after_ms) for _ in range(runs))
                print(
                    f"first tap on / {after_ms:5} ms after load: {taken:5.0f} ms of {RESPONSE_MS}", flush=True
                )


if __name__ == "__main__":
    main(sys.argv[1:])
