"""Publishing: turns Reflex's build into the served files, with values of the settings filled in, and compressed copies.

The build contains placeholders for the address (`PLACEHOLDER_ORIGIN`) and for retention periods (`content/legal.py`), so one
build serves every host and port; publishing takes a second. Feeds and files for crawlers are written here, because they
need absolute addresses.
Brotli's best level takes 30 times as long as the quick one and saves a tenth of the bytes. A laptop publishes quickly. An image
is built with a cache of the best forms. They serve files that do not name the address; when a server starts in production, it
compresses only the pages that do.
Scripts are deferred here (`hydration.py`), because only finished pages name them; the service worker is written last
(`offline/worker.py`), because its version is a hash of all other files.
"""

import errno
import gzip
import hashlib
import os
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import brotli

from agency_site.clock import today
from agency_site.content.legal import with_periods
from agency_site.settings import PLACEHOLDER_ORIGIN, ROOT, settings
from agency_site.site.layout.served_pages import has_unstamped_form
from agency_site.ui.elements import THIS_YEAR
from agency_site.web.build.hydration import defer_scripts
from agency_site.web.publishing.analytics import analytics_files
from agency_site.web.publishing.crawlers import crawler_files
from agency_site.web.publishing.feeds import feeds
from agency_site.web.publishing.offline.worker import with_registration, worker_files

BUILD = ROOT / ".web" / "build" / "client"
CACHE = ROOT / ".build" / "compressed"
"""Files that brotli has compressed at the best level, by the hash of their content."""

QUICK, GOOD, BEST = 5, 10, 11
"""Levels of brotli: on a laptop, when a server starts in production, and for the cache of an image. The good one takes a third of
the time of the best one, for 3 % more bytes."""

TEXT = frozenset({".html", ".js", ".css", ".json", ".svg", ".xml", ".atom", ".txt", ".webmanifest", ".map"})
_YEAR = re.compile(rb'(<time class="%s">)\d{4}' % THIS_YEAR.encode())
_KEPT_DAYS = 30
"""Time for which the site of an address is kept after it was last published."""
_LEAST = 256
"""Smaller files are not compressed, because the headers would outweigh the gain."""


def site_folder(origin: str) -> Path:
    """Return the folder for the site of that address; servers at two addresses do not touch each other's pages."""
    return Path(settings().published_folder) / re.sub(r"\W+", "-", origin)


def publish(origin: str, build: Path = BUILD, site: Path | None = None, *, quality: int = QUICK) -> Path:
    """Publish the build at `build` for the address `origin` to `site`, by default to its own folder; return the folder.

    `quality` is the level of brotli for files that the cache lacks. The folder is replaced at the end, so that an interrupted run
    leaves the old one complete.
    """
    site = site or site_folder(origin)
    fresh = site.with_name(f"{site.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    files = built_files(build)
    files |= {Path(name): body for name, body in feeds(origin).items()} | crawler_files(files)
    files = with_registration(defer_scripts(files))
    finished = {name: fill_placeholders(name, body, origin) for name, body in files.items()}
    finished |= analytics_files(finished)
    files = finished | worker_files(finished)
    # Both compressors release the GIL.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: _write(fresh / name, files[name], quality), files))
    shutil.rmtree(site, ignore_errors=True)
    fresh.rename(site)
    if not settings().production:
        _remove_old(site)
    return site


def _remove_old(site: Path) -> None:
    """Remove sites of other ports and compressed files of earlier builds that were not used for 30 days.

    This happens on laptops only, where servers do not run for weeks.
    """
    oldest = time.time() - _KEPT_DAYS * 86_400
    for other in site.parent.iterdir():
        if other != site and (other / "index.html").is_file() and other.stat().st_mtime < oldest:
            shutil.rmtree(other, ignore_errors=True)
    for compressed_file in CACHE.glob("*"):
        if compressed_file.stat().st_mtime < oldest:
            compressed_file.unlink(missing_ok=True)


def _write(target: Path, content: bytes, quality: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    for suffix, body in compressed(target, content, quality).items():
        target.with_name(target.name + suffix).write_bytes(body)


def compressed(name: Path, content: bytes, quality: int) -> dict[str, bytes]:
    """Return the compressed forms of a file by their suffix; empty if it is served without them."""
    # A page with a form is compressed for each response, which has its own stamp.
    if name.suffix not in TEXT or len(content) < _LEAST or has_unstamped_form(content):
        return {}
    return {".br": _brotli(content, quality), ".gz": gzip.compress(content, 9, mtime=0)}


def fill_placeholders(name: Path, body: bytes, origin: str) -> bytes:
    """Return the file with the site's address, the year and the periods of retention instead of their placeholders."""
    if name.suffix not in TEXT:
        return body
    body = _YEAR.sub(rb"\g<1>%d" % today().year, body)
    return with_periods(body.replace(PLACEHOLDER_ORIGIN.encode(), origin.encode()), settings())


def built_files(build: Path = BUILD) -> dict[Path, bytes]:
    """Return every file of the build by its relative path, without copies and shells of pages, which are never served."""
    return {
        path.relative_to(build): path.read_bytes()
        for path in sorted(build.rglob("*"))
        if path.is_file() and (path.suffix != ".html" or path.name == "index.html")
    }


def _brotli(content: bytes, quality: int) -> bytes:
    cached = CACHE / f"{hashlib.sha256(content).hexdigest()}.br"
    if cached.exists():
        if not settings().production:
            cached.touch()
        return cached.read_bytes()
    body = bytes(brotli.compress(content, mode=brotli.MODE_TEXT, quality=quality))
    if quality == BEST:
        _cache(cached, body)
    return body


def _cache(cached: Path, body: bytes) -> None:
    unfinished = cached.with_suffix(f"{cached.suffix}.{os.getpid()}-{threading.get_ident()}")
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(body)
        unfinished.replace(cached)
    except OSError as error:
        # A container image is read-only: its cache was filled when it was built.
        if error.errno not in {errno.EROFS, errno.EACCES}:
            raise
