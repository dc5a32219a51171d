"""Publishing writes what is served, in compressed forms, and removes unused files of earlier runs."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest

from agency_site.settings import Settings
from agency_site.web.build import publish as publishing
from agency_site.web.build.publish import BEST, QUICK, compressed, publish
from tests.small_site import small_site

MONTHS_AGO = time.time() - 100 * 86_400


def _age(path: Path) -> None:
    os.utime(path, (MONTHS_AGO, MONTHS_AGO))


@pytest.mark.parametrize("env", ["development", "production"])
def test_sites_of_other_ports_and_old_compressed_files_are_removed_on_a_laptop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configure: Callable[..., Settings], env: str
) -> None:
    configure(env=env)
    small_site(tmp_path, monkeypatch)
    build, sites = tmp_path / "build", tmp_path / "sites"
    for port in (3000, 4000, 5000):
        publish(f"http://localhost:{port}", build, sites / str(port), quality=BEST)
    used = {path.name for path in publishing.CACHE.iterdir()}
    unused = publishing.CACHE / "unused.br"
    unused.write_bytes(b"x")
    (sites / "notes").mkdir()
    for path in (*publishing.CACHE.iterdir(), *sites.iterdir()):
        _age(path)
    publish("http://localhost:5000", build, sites / "5000")
    publish("http://localhost:3000", build, sites / "3000")
    names = {path.name for path in sites.iterdir()}
    assert names == ({"3000", "5000", "notes"} if env == "development" else {"3000", "4000", "5000", "notes"})
    assert unused.exists() is (env == "production")
    assert {path.name for path in publishing.CACHE.iterdir()} & used


WORDS = (
    Path("words.txt"),
    b" ".join(b"%d squared is %d" % (number, number * number) for number in range(2000)),
)


def test_the_quick_level_is_replaced_by_the_best_one_once_that_is_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "CACHE", tmp_path / "cache")
    quick, best, cached = (compressed(*WORDS, quality)[".br"] for quality in (QUICK, BEST, QUICK))
    assert len(quick) > len(best)
    assert cached == best
    assert brotli.decompress(quick) == brotli.decompress(best) == WORDS[1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("index.html", b"<form><form-stamp></form-stamp></form>" + b" " * 1000),
        ("picture.avif", b" " * 1000),
        ("short.txt", b"short"),
    ],
)
def test_files_that_are_never_sent_compressed_have_no_compressed_forms(name: str, content: bytes) -> None:
    assert compressed(Path(name), content, QUICK) == {}


def test_pages_are_published_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = small_site(tmp_path, monkeypatch).files
    assert "/about/index.html" in published
    assert {"/about.html", "/__spa-fallback.html"} & published.keys() == set()
