"""From Reflex's build to the files that are served: what the settings decide filled in, compressed side by side.

The build knows no address (`PLACEHOLDER_ORIGIN`) and no period for which data is kept (`content/legal.py`), so one build
serves every host and port; publishing takes a second. Feeds and what crawlers read are written here, because their
addresses must be whole.
Scripts are deferred here (`hydration.py`), because only finished pages name them; the service worker is written last
(`offline/worker.py`), because its version is made of everything else.
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
from agency_site.ui.elements import THIS_YEAR
from agency_site.web.build.hydration import defer_scripts
from agency_site.web.build.route_manifest import without_office
from agency_site.web.publishing.crawlers import crawler_files
from agency_site.web.publishing.feeds import feeds
from agency_site.web.publishing.offline.worker import with_registration, worker_files

BUILD = ROOT / ".web" / "build" / "client"
CACHE = ROOT / ".build" / "compressed"

TEXT = frozenset({".html", ".js", ".css", ".json", ".svg", ".xml", ".atom", ".txt", ".webmanifest", ".map"})
_YEAR = re.compile(rb'(<time class="%s">)\d{4}' % THIS_YEAR.encode())
_KEPT_DAYS = 30
"""How long the site of an address is kept after it was published last."""
_LEAST = 256
"""Bytes below which compression is not worth a header."""


def site_folder(origin: str) -> Path:
    """Where the site of that address is published; servers at two addresses leave each other's pages alone."""
    return Path(settings().published_folder) / re.sub(r"\W+", "-", origin)


def publish(origin: str, build: Path = BUILD, site: Path | None = None) -> Path:
    """Write the build at `build` with `origin` as its address to `site`, else to its own folder; returns the folder.

    The folder is swapped in whole, so that an interrupted run leaves the old one complete.
    """
    site = site or site_folder(origin)
    fresh = site.with_name(f"{site.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    files = built_files(build)
    files |= {Path(name): body for name, body in feeds(origin).items()} | crawler_files(files)
    files = with_registration(defer_scripts(without_office(files)))
    finished = {name: _fill_placeholders(name, body, origin) for name, body in files.items()}
    files = finished | worker_files(finished)
    # Both compressors leave the other threads running.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_write, (fresh / name for name in files), files.values()))
    shutil.rmtree(site, ignore_errors=True)
    fresh.rename(site)
    if not settings().production:
        _remove_old(site)
    return site


def _remove_old(site: Path) -> None:
    """Remove sites of other ports and compressed files of earlier builds that were not used for long.

    On a laptop only, where servers do not run for weeks.
    """
    oldest = time.time() - _KEPT_DAYS * 86_400
    for other in site.parent.iterdir():
        if other != site and (other / "index.html").is_file() and other.stat().st_mtime < oldest:
            shutil.rmtree(other, ignore_errors=True)
    for kept in CACHE.glob("*"):
        if kept.stat().st_mtime < oldest:
            kept.unlink(missing_ok=True)


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix in TEXT:
        _write_compressed(target, content)
    target.write_bytes(content)


def _fill_placeholders(name: Path, body: bytes, origin: str) -> bytes:
    if name.suffix not in TEXT:
        return body
    body = _YEAR.sub(rb"\g<1>%d" % today().year, body)
    return with_periods(body.replace(PLACEHOLDER_ORIGIN.encode(), origin.encode()), settings())


def built_files(build: Path = BUILD) -> dict[Path, bytes]:
    """Every file of the build, by its path inside it."""
    return {path.relative_to(build): path.read_bytes() for path in sorted(build.rglob("*")) if path.is_file()}


def _write_compressed(target: Path, content: bytes) -> None:
    if len(content) < _LEAST:
        return
    for suffix, squeeze in ((".br", _brotli), (".gz", _gzip)):
        kept = CACHE / f"{hashlib.sha256(content).hexdigest()}{suffix}"
        body = kept.read_bytes() if kept.exists() else squeeze(content)
        target.with_name(target.name + suffix).write_bytes(body)
        if not kept.exists():
            _keep(kept, body)
        elif not settings().production:
            kept.touch()


def _keep(kept: Path, body: bytes) -> None:
    unfinished = kept.with_suffix(f"{kept.suffix}.{os.getpid()}-{threading.get_ident()}")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(body)
        unfinished.replace(kept)
    except OSError as error:
        # An image is read-only: it keeps what was compressed while it was made.
        if error.errno not in {errno.EROFS, errno.EACCES}:
            raise


def _brotli(content: bytes) -> bytes:
    return bytes(brotli.compress(content, mode=brotli.MODE_TEXT, quality=11))


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)
