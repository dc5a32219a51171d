"""The version and the build of the site that this process runs."""

from functools import lru_cache

from agency_site.settings import ROOT

VERSION = "1.0.0"
"""That of `pyproject.toml`, which is not in the image."""
STAMP = ROOT / ".build" / "stamp"
"""The fingerprint of the sources of the last complete build (`web/build/site_build.py`)."""


@lru_cache(maxsize=1)
def build_version() -> str:
    """Return the beginning of the fingerprint. It is cached, because a later build is not the one that this process runs."""
    return STAMP.read_text()[:12] if STAMP.exists() else "none"
