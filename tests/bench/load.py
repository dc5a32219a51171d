"""One server process under load: static pages a second, and events of 2,000 open home pages.

A bare Socket.IO echo on the same server program is measured with the same crowd in the same run: their
ratio says what the site and Reflex cost. Server and clients share the machine.
"""

import json
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from urllib.parse import urlsplit

from agency_site.settings import ROOT
from tests.api_servers import api_servers
from tests.bench.running import heading, running_site
from tests.servers import program

COMMAND = "python -m tests.bench.load"
SOCKETS, RATE, SECONDS = 2000, 400, 30
REQUESTS, CONNECTIONS = 20_000, 32
PATHS = ("/about", "/")
NOWHERE = "sqlite+aiosqlite:///:memory:"


@dataclass(frozen=True)
class Answers:
    """Durations of events in seconds, sorted."""

    name: str
    event_count: int
    durations: list[float]

    def at(self, share: float) -> float:
        """Milliseconds within which this share was answered."""
        return self.durations[max(0, int(len(self.durations) * share) - 1)] * 1000

    def __str__(self) -> str:
        return (
            f"{self.name:<28} {len(self.durations):>6} of {self.event_count} answered   p50 {self.at(0.5):7.1f} ms   "
            f"p95 {self.at(0.95):7.1f} ms   p99 {self.at(0.99):7.1f} ms"
        )


def crowd(name: str, url: str, sockets: int, rate: float, seconds: float) -> Answers:
    """Let a crowd of its own process visit the server at `url`."""
    port = urlsplit(url).port
    order = [sys.executable, "-m", "tests.bench.crowd", *map(str, (port, sockets, rate, seconds))]
    done = subprocess.run(order, cwd=ROOT, check=True, capture_output=True, text=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return Answers(name, result["sent"], sorted(result["taken"]))


def pages_a_second(url: str, requests: int) -> str:
    """Measure one page with ApacheBench, with brotli and persistent connections."""
    ab = program("ab", "apache2-utils") or "ab"
    order = [ab, "-q", "-k", "-c", str(CONNECTIONS), "-n", str(requests), "-H", "Accept-Encoding: br", url]
    done = subprocess.run(order, check=True, capture_output=True, text=True).stdout

    def figure(after: str) -> float:
        match = re.search(rf"{after}\s+([\d.]+)", done)
        return float(match[1]) if match else 0.0

    size = figure("HTML transferred:") / requests / 1000
    return (
        f"{urlsplit(url).path:<10} {figure('Requests per second:'):7.0f}/s   p95 {figure('95%'):4.0f} ms   "
        f"{size:5.1f} KB each   {figure('Failed requests:'):.0f} failed, {figure('Non-2xx responses:'):.0f} refused"
    )


def main(
    sockets: int = SOCKETS, rate: float = RATE, seconds: float = SECONDS, requests: int = REQUESTS
) -> None:
    """Measure and print."""
    # Servers and crowds inherit it: each socket is a file.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    heading("One server process", COMMAND)
    with running_site() as server:
        pages_a_second(f"{server.url}{PATHS[0]}", requests // 10)
        print(f"static pages, {CONNECTIONS} kept connections:")
        for path in PATHS:
            print(pages_a_second(f"{server.url}{path}", requests))
        print(f"\n{sockets} open sockets, {rate} events a second for {seconds} s:")
        site = crowd("site: the carousel's tick", server.url, sockets, rate, seconds)
        print(site)
    with api_servers(1, NOWHERE, factory="tests.bench.bare_echo:create") as [url]:
        bare = crowd("bare Socket.IO echo", url, sockets, rate, seconds)
        print(bare)
    ratios = [f"p{share * 100:.0f} {site.at(share) / bare.at(share):.1f} times" for share in (0.5, 0.95)]
    print(f"the site beside the bare echo: {', '.join(ratios)}")


if __name__ == "__main__":
    main()
