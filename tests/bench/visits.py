"""Published pages a second, by what is counted of them: nothing, a view, a view that begins a visit and gets a cookie.

One server process serves a small page, for which counting weighs most; all kinds of requests take turns. The views of a robot are
not counted. The best round of each kind counts, because other work on the machine only adds. Goal: a counted view takes at most
40 µs of processor time more.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.api_servers import ApiServer, api_server
from tests.bench.drawn_pages import processor_seconds
from tests.bench.running import heading
from tests.http_clients import NAVIGATION
from tests.servers import fresh_sqlite, program

COMMAND = "python -m tests.bench.visits"
SITE = "tests.integration.web.small_site_server:create"
OWN = "https://agency.example"
ROBOT = "not counted: a robot"
KINDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    ROBOT: ("/about", {"User-Agent": "curl/8.14.1", "Sec-Fetch-Mode": "navigate"}),
    "a view within the site": ("/about", NAVIGATION | {"Referer": f"{OWN}/", "Cookie": "visit=google&cpc&spring&/"}),
    "the first of a visit": ("/about", NAVIGATION | {"Referer": "https://www.google.com/"}),
    "the first of a campaign": ("/about?utm_source=google&utm_medium=cpc&utm_campaign=spring", NAVIGATION),
}  # fmt: skip
"""Path and headers of each kind of request."""
ROUNDS, REQUESTS, CONNECTIONS = 7, 5_000, 32
MOST_MICROSECONDS = 40


def pages_a_second(url: str, headers: Mapping[str, str]) -> float:
    """Measure one page with ApacheBench over persistent connections. Raises RuntimeError if a request failed."""
    ab = program("ab", "apache2-utils") or "ab"
    sent = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    order = [ab, "-q", "-k", "-c", str(CONNECTIONS), "-n", str(REQUESTS), *sent, url]
    report = subprocess.run(order, check=True, capture_output=True, text=True).stdout
    lines = dict(line.split(":", 1) for line in report.splitlines() if ":" in line)
    if int(lines["Failed requests"]) or "Non-2xx responses" in lines:
        raise RuntimeError(report)
    return float(lines["Requests per second"].split()[0])


@dataclass(frozen=True)
class Load:
    """Pages a second, and the server's processor time in microseconds for each."""

    rate: float
    cost: float


def measure(server: ApiServer, path: str, headers: Mapping[str, str]) -> Load:
    before = processor_seconds(server.process.pid)
    rate = pages_a_second(f"{server.url}{path}", headers)
    return Load(rate, (processor_seconds(server.process.pid) - before) / REQUESTS * 1e6)


def main() -> int:
    """Measure and print; returns 1 where the goal is missed."""
    heading("Counted views", COMMAND)
    loads: dict[str, list[Load]] = {kind: [] for kind in KINDS}
    with (
        tempfile.NamedTemporaryFile(suffix=".sqlite3") as file,
        api_server(SITE, fresh_sqlite(Path(file.name)), None, {"public_url": OWN}) as server,
    ):
        for _ in range(ROUNDS):
            for kind, (path, headers) in KINDS.items():
                loads[kind].append(measure(server, path, headers))
    uncounted, missed = min(load.cost for load in loads[ROBOT]), False
    for kind, measured in loads.items():
        cost, rate = min(load.cost for load in measured), max(load.rate for load in measured)
        missed = missed or cost - uncounted > MOST_MICROSECONDS
        print(
            f"{kind:<26} {rate:6.0f} pages a second   {cost:5.0f} µs of the processor, {cost - uncounted:+3.0f}"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
