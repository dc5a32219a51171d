"""The bytes of a visit to a published page, read from the published files, and their budgets."""

import json
import re
from functools import cache
from pathlib import Path

from agency_site.accept_headers import compress_html
from agency_site.picture_addresses import SCENES
from agency_site.site.layout.served_pages import has_unstamped_form
from agency_site.web.build.publish import BEST, compressed

SCRIPTS, MARKUP = 105_000, 34_000
"""Bytes as brotli: all scripts of a page; its HTML and stylesheets."""
READ, HOME_READ = 87_040, 120_000
"""Bytes of a visit that reaches for no control: everything but scripts."""
USED, HOME_USED = 200_000, 220_000
"""Bytes of a visit with all scripts."""


class Folder:
    """The published site."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def text(self, address: str) -> str:
        """The content of a file."""
        return (self.root / address.lstrip("/")).read_text()

    def weight(self, *addresses: str) -> int:
        """Bytes of files as a browser that takes brotli gets them in production."""
        return sum(_weight(self.root / address.lstrip("/")) for address in addresses)


@cache
def _weight(file: Path) -> int:
    body = file.read_bytes()
    if file.suffix == ".html" and has_unstamped_form(body):
        return len(compress_html(body, "br")[0])
    return len(compressed(file, body, BEST).get(".br", body))


class Page:
    """A published page and its links to files."""

    def __init__(self, folder: Folder, file: Path) -> None:
        place = file.parent.relative_to(folder.root).as_posix()
        self.folder = folder
        self.path = "/" if place == "." else f"/{place}"
        self.html = file.read_text()
        (listed,) = re.findall(r'<script type="application/json" id="scripts">(.*?)</script>', self.html)
        self.listed = json.loads(listed)
        self.styles = set(re.findall(r'<link[^>]* href="(/[^"]+\.css)"[^>]*>', self.html))
        """Addresses of its stylesheets."""

    @property
    def scripts(self) -> set[str]:
        """Addresses of all scripts that it loads once it is used."""
        return {
            self.listed["entry"],
            *self.listed["preload"],
            *self.listed["routes"].values(),
        }

    @property
    def pictures(self) -> list[dict[str, str]]:
        """Attributes of its pictures."""
        tags = re.findall(r"<img\b([^>]*)>", self.html)
        return [dict(re.findall(r'([\w-]+)="([^"]*)"', tag.lower())) for tag in tags]

    @property
    def art(self) -> set[str]:
        """Addresses of all drawings, those that a class brings as well. Scenes have limits of their own."""
        drawings = {picture["src"] for picture in self.pictures if not picture["src"].startswith(SCENES)}
        return drawings | set(re.findall(r"bg-\[url\(([^)]+)\)\]", self.html))

    @property
    def file(self) -> str:
        """Address of its HTML in the folder."""
        return f"{self.path.rstrip('/')}/index.html"

    @property
    def fonts(self) -> set[str]:
        """Addresses of the fonts that it fetches first."""
        return set(re.findall(r'href="(/fonts/[^"]+)"', self.html))

    @property
    def markup(self) -> int:
        """Bytes of HTML and stylesheets."""
        return self.folder.weight(self.file, *self.styles)

    @property
    def read(self) -> int:
        """Bytes of everything that reading it takes."""
        return self.markup + self.folder.weight(*self.art, *self.fonts)

    @property
    def used(self) -> int:
        """Bytes of everything once the visitor has reached for a control."""
        return self.read + self.folder.weight(*self.scripts)

    @property
    def budgets(self) -> tuple[int, int]:
        """The budgets of `read` and `used`."""
        return (HOME_READ, HOME_USED) if self.path == "/" else (READ, USED)
