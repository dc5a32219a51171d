"""The weight of every public page in bytes, compressed with brotli, compared with the budgets.

Bytes are read from the published files; requests and sockets are counted in Chromium with the window of a phone, once
everything has become quiet, before and after the first movement of the pointer.
"""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Browser

from agency_site.web.build.publish import site_folder
from tests.bench.running import chromium, heading, rest, running_site
from tests.e2e.conftest import PHONE, hydrated
from tests.page_weight import HOME_READ, HOME_USED, MARKUP, READ, SCRIPTS, USED, Folder, Page

COMMAND = "python -m tests.bench.weight"


@dataclass(frozen=True)
class Requested:
    """The requests of a browser."""

    requests: int
    scripts: int
    sockets: int


@dataclass(frozen=True)
class Weighed:
    """One page: bytes, and what a browser requests before and after a visitor reaches for a control."""

    path: str
    html: int
    css: int
    fonts: int
    above: int
    """Pictures that load at once."""
    below: int
    """Pictures that load when they come near."""
    scripts: int
    read: int
    """Everything but scripts."""
    quiet: Requested
    active: Requested

    @property
    def used(self) -> int:
        """Return the bytes of everything, scripts too."""
        return self.read + self.scripts

    def __str__(self) -> str:
        kilobytes = (
            self.html,
            self.css,
            self.fonts,
            self.above,
            self.below,
            self.read,
            self.scripts,
            self.used,
        )
        figures = "".join(f"{size / 1000:8.1f}" for size in kilobytes)
        counts = "".join(
            f"{before:6}/{after:<3}"
            for before, after in (
                (self.quiet.requests, self.active.requests),
                (self.quiet.scripts, self.active.scripts),
                (self.quiet.sockets, self.active.sockets),
            )
        )
        return f"{self.path:<32}{figures}{counts}"


TITLES = ("html", "css", "fonts", "above", "below", "read", "scripts", "used")


def weigh(page: Page, quiet: Requested, active: Requested) -> Weighed:
    """A page's figures."""
    weight = page.folder.weight
    waiting = {picture["src"] for picture in page.pictures if picture.get("loading") == "lazy"}
    return Weighed(
        path=page.path,
        html=weight(page.file),
        css=weight(*page.styles),
        fonts=weight(*page.fonts),
        above=weight(*(page.art - waiting)),
        below=weight(*(page.art & waiting)),
        scripts=weight(*page.scripts),
        read=page.read,
        quiet=quiet,
        active=active,
    )


def ask(browser: Browser, url: str) -> tuple[Requested, Requested]:
    """Open a page, wait, move the hand, wait."""
    context = browser.new_context(viewport=PHONE, service_workers="block")  # type: ignore[arg-type]
    tab = context.new_page()
    kinds: list[str] = []
    sockets: list[str] = []
    tab.on("request", lambda request: kinds.append(request.resource_type))
    tab.on("websocket", lambda socket: sockets.append(socket.url))

    def seen() -> Requested:
        return Requested(len(kinds), kinds.count("script"), len(sockets))

    tab.goto(url)
    rest(tab)
    quiet = seen()
    hydrated(tab)
    rest(tab)
    active = seen()
    context.close()
    return quiet, active


def public_pages(folder: Folder) -> list[Page]:
    """Pages that visitors see."""
    with_scripts = (file for file in folder.root.rglob("index.html") if file.parent.name != "not-found")
    pages = (Page(folder, file) for file in with_scripts)
    public = (page for page in pages if page.path.split("/")[1] != "admin")
    return sorted(public, key=lambda page: page.path)


def worst(weighed: list[Weighed], name: str, size: Callable[[Weighed], int], budget: int) -> str:
    """The page nearest to its budget, in words."""
    heaviest = max(weighed, key=size)
    verdict = "kept" if size(heaviest) <= budget else "BROKEN"
    return f"{name:<44}{size(heaviest) / 1000:8.1f} KB of {budget / 1000:5.0f}   {verdict}   {heaviest.path}"


def summary(weighed: list[Weighed]) -> list[str]:
    """Every budget with the page that is nearest to it."""
    others = [page for page in weighed if page.path != "/"]
    home = [page for page in weighed if page.path == "/"]
    return [
        worst(weighed, "HTML and stylesheets", lambda page: page.html + page.css, MARKUP),
        worst(weighed, "scripts", lambda page: page.scripts, SCRIPTS),
        worst(home, "home, with all pictures", lambda page: page.read, HOME_READ),
        worst(home, "home, with all scripts too", lambda page: page.used, HOME_USED),
        worst(others, "other pages, with all pictures", lambda page: page.read, READ),
        worst(others, "other pages, with all scripts too", lambda page: page.used, USED),
        f"{'pages without scripts before that':<44}"
        f"{sum(page.quiet.scripts == 0 for page in weighed):5} of {len(weighed)}",
        f"{'sockets per page, at most':<44}{max(page.active.sockets for page in weighed):5}",
        f"{'requests, at most':<44}{max(page.quiet.requests for page in weighed):5} before, "
        f"{max(page.active.requests for page in weighed)} after",
    ]


def main(at_most: int | None = None) -> None:
    """Weigh all public pages and print."""
    heading(
        "Weight of pages, KB (brotli); requests, scripts and sockets: before/after reaching for a control",
        COMMAND,
    )
    print(f"{'path':<32}{''.join(f'{title:>8}' for title in TITLES)}  requests    scripts   sockets")
    weighed = []
    with running_site() as server, chromium() as browser:
        for page in public_pages(Folder(site_folder(server.url)))[:at_most]:
            weighed.append(weigh(page, *ask(browser, server.url + page.path)))
            print(weighed[-1], flush=True)
    print("", *summary(weighed), sep="\n")


if __name__ == "__main__":
    main()
