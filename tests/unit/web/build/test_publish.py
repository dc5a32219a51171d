"""Publishing removes unused files of earlier runs."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agency_site.settings import Settings
from agency_site.web.build import publish as publishing
from agency_site.web.build.publish import publish
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
        publish(f"http://localhost:{port}", build, sites / str(port))
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
