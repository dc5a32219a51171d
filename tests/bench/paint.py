"""When the largest part of a page is painted on a slow phone, beside the same HTML without scripts, and beside stock Reflex.

Chromium runs with a quarter of the processor's speed and the network of a slow 4G connection, as Lighthouse simulates
it; every visit has an empty cache. Pages and their counterparts take turns, so that whatever else the machine does
meets all of them.
"""

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.sync_api import Browser, Response

from agency_site.web.build.publish import site_folder
from tests.bench.plain_files import served_plainly, unchanged, without_scripts
from tests.bench.running import chromium, heading, rest, running_site
from tests.bench.stock import CONTACT, stock_build
from tests.bench.weight import public_pages
from tests.e2e.conftest import hydrated
from tests.page_weight import Folder

COMMAND = "python -m tests.bench.paint"
RUNS = 3
MOST = 1.25
"""The limit of the ratio."""
SLOWER = 4
SLOW_4G = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_638_400 / 8,
    "uploadThroughput": 768_000 / 8,
}
"""Milliseconds and bytes a second."""
MOTO = {
    "viewport": {"width": 412, "height": 823},
    "device_scale_factor": 1.75,
    "is_mobile": True,
    "has_touch": True,
}
_MEASURE = """new Promise((done) => {
  const found = { lcp: 0, cls: 0 };
  new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) found.cls += e.value; })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => { found.lcp = list.getEntries().at(-1).startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  setTimeout(() => done(found), 100);
})"""


@dataclass(frozen=True)
class Visit:
    """One visit: milliseconds until the largest paint, shifts of the layout, bytes over the wire by kind."""

    lcp: float
    cls: float
    sizes: Counter[str]


@dataclass(frozen=True)
class Visits:
    """Several visits to the same page."""

    visits: Sequence[Visit]

    @property
    def lcp(self) -> float:
        """The median."""
        return statistics.median(visit.lcp for visit in self.visits)

    @property
    def cls(self) -> float:
        """The worst."""
        return max(visit.cls for visit in self.visits)

    @property
    def sizes(self) -> Counter[str]:
        """Return the sizes of the last visit."""
        return self.visits[-1].sizes


def visit(browser: Browser, url: str) -> Visit:
    """Open a page as on a slow phone, without any input."""
    context = browser.new_context(service_workers="block", **MOTO)  # type: ignore[arg-type]
    tab = context.new_page()
    session = context.new_cdp_session(tab)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    responses: list[Response] = []
    tab.on("response", lambda answer: responses.append(answer))
    tab.goto(url, timeout=60_000)
    rest(tab)
    result = tab.evaluate(_MEASURE)
    sizes = sizes_of(responses)
    context.close()
    return Visit(result["lcp"], result["cls"], sizes)


def sizes_of(answers: Sequence[Response]) -> Counter[str]:
    """Bytes of bodies by kind, compressed as they came."""
    sizes: Counter[str] = Counter()
    for answer in answers:
        sizes[answer.request.resource_type] += int(answer.headers.get("content-length", 0))
    return sizes


def in_turn(browser: Browser, urls: Sequence[str], runs: int) -> list[Visits]:
    """Visit all in turn, `rounds` times."""
    rounds = [[visit(browser, url) for url in urls] for _ in range(runs)]
    return [Visits(visits) for visits in zip(*rounds, strict=True)]


def bytes_when_used(browser: Browser, url: str) -> Counter[str]:
    """Bytes by kind of a page whose scripts have been loaded."""
    context = browser.new_context(service_workers="block", **MOTO)  # type: ignore[arg-type]
    tab = context.new_page()
    responses: list[Response] = []
    tab.on("response", lambda answer: responses.append(answer))
    tab.goto(url)
    hydrated(tab)
    rest(tab)
    sizes = sizes_of(responses)
    context.close()
    return sizes


def sized(name: str, sizes: Counter[str], lcp: str) -> str:
    """A line of the comparison with stock Reflex."""
    columns = [f"{sizes[kind] / 1000:8.1f}" for kind in ("document", "stylesheet", "script", "font", "image")]
    total = sizes["document"] + sizes["stylesheet"] + sizes["script"]
    return f"{name:<28}{''.join(columns)}{total / 1000:14.1f}{lcp:>12}"


def beside_stock(browser: Browser, ours: str, stock: str, runs: int) -> None:
    """Our page for messages and the one that Reflex builds by itself."""
    ours_visit, theirs = in_turn(browser, (f"{ours}/contact", f"{stock}{CONTACT}"), runs)
    print(
        f"\n{'contact page, KB (brotli)':<28}{'html':>8}{'css':>8}{'scripts':>8}{'fonts':>8}{'images':>8}"
        f"{'html+css+js':>14}{'LCP':>12}",
        sized("this site, until used", ours_visit.sizes, f"{ours_visit.lcp:.0f} ms"),
        sized("this site, used", bytes_when_used(browser, f"{ours}/contact"), ""),
        sized("stock Reflex", theirs.sizes, f"{theirs.lcp:.0f} ms"),
        f"LCP of stock: {theirs.lcp / ours_visit.lcp:.2f} times ours, shifts {theirs.cls:.3f}, ours {ours_visit.cls:.3f}",
        sep="\n",
    )


def beside_still(browser: Browser, site: str, still: str, routes: Sequence[str], runs: int) -> None:
    """Every page and the same HTML without scripts."""
    print(f"{'path':<42}{'site':>12}{'no scripts':>12}{'ratio':>8}{'worst CLS':>11}")
    ratios = []
    for path in routes:
        hydrated, plain = in_turn(browser, (site + path, still + path), runs)
        ratios.append(hydrated.lcp / plain.lcp)
        print(
            f"{path:<42}{hydrated.lcp:9.0f} ms{plain.lcp:9.0f} ms{ratios[-1]:8.2f}{hydrated.cls:11.4f}",
            flush=True,
        )
    print(f"ratio: median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, promised {MOST:.2f}")


def main(routes: Sequence[str] | None = None, runs: int = RUNS) -> None:
    """Measure and print; without `routes` every public page."""
    heading(f"Largest paint, median of {runs}; processor slowed {SLOWER} times, slow 4G", COMMAND)
    with running_site() as server, chromium() as browser:
        folder = site_folder(server.url)
        routes = routes or [page.path for page in public_pages(Folder(folder))]
        with served_plainly(folder, "still", without_scripts) as still:
            beside_still(browser, server.url, still, routes, runs)
        with stock_build() as built, served_plainly(built, "stock", unchanged) as stock:
            beside_stock(browser, server.url, stock, runs)


if __name__ == "__main__":
    main()
