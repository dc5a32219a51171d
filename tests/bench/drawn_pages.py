"""Pages that the server draws for a request: processor time, pages a second, and what they cost readers of an article.

`wrk` loads one page after the other, alone and beside an article. Goals: at most 3 ms of processor time, 300 a second,
and an article whose p99 is at most three times its own.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from agency_site.content.articles import ARTICLES
from agency_site.content.webinars import WEBINARS
from tests.bench.running import heading, running_site
from tests.servers import program

COMMAND = "python -m tests.bench.drawn_pages"
ARTICLE = ARTICLES[0].href
PAGES = (
    "/payment",
    "/payment?course=google-ads",
    "/book",
    "/blog?category=SEO",
    "/webinar?tab=past",
    WEBINARS[0].href,
)
SECONDS, CONNECTIONS = 5, 10
MOST_MS, LEAST_A_SECOND, MOST_RATIO = 3.0, 300.0, 3.0


@dataclass(frozen=True)
class Load:
    """What `wrk` has seen of one address."""

    a_second: float
    p99: float
    """Milliseconds."""
    requests: int


def start_load(url: str) -> subprocess.Popen[str]:
    wrk = program("wrk") or "wrk"
    order = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}", "--latency", "-H", "Accept-Encoding: br", url]
    return subprocess.Popen(order, stdout=subprocess.PIPE, text=True)


def read_load(process: subprocess.Popen[str]) -> Load:
    """Wait for `wrk` and read its report. Raises RuntimeError where a request was refused."""
    report = process.communicate()[0]
    if process.returncode or "Non-2xx" in report:
        raise RuntimeError(report)
    value, unit = re.findall(r"99%\s+([\d.]+)(us|ms|s)", report)[0]
    p99 = float(value) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit]
    requests = int(re.findall(r"(\d+) requests in", report)[0])
    return Load(requests / SECONDS, p99, requests)


def processor_seconds(pid: int) -> float:
    """Return what a process and its children have used."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    spent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(processor_seconds(int(child)) for child in children)


def main() -> int:
    """Measure and print; returns 1 where a goal is missed."""
    heading("Pages drawn for a request", COMMAND)
    missed = False
    with running_site(rate_limit_pages="1000000/minute") as server:
        alone = read_load(start_load(f"{server.url}{ARTICLE}"))
        print(f"{ARTICLE}: {alone.a_second:.0f} a second, p99 {alone.p99:.1f} ms")
        for path in PAGES:
            before = processor_seconds(server.process.pid)
            load = read_load(start_load(f"{server.url}{path}"))
            cost = (processor_seconds(server.process.pid) - before) / load.requests * 1000
            page, article = start_load(f"{server.url}{path}"), start_load(f"{server.url}{ARTICLE}")
            beside, _ = read_load(article), read_load(page)
            ratio = beside.p99 / alone.p99
            missed |= cost > MOST_MS or load.a_second < LEAST_A_SECOND or ratio > MOST_RATIO
            print(
                f"{path:<28} {cost:4.1f} ms   {load.a_second:5.0f} a second   "
                f"article beside it p99 {beside.p99:5.1f} ms, {ratio:.1f} times its own"
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
