"""Which build of the site this process runs."""

from functools import lru_cache

from agency_site.settings import ROOT

STAMP = ROOT / ".build" / "stamp"
"""The fingerprint of the sources of the last complete build (`web/build/site_build.py`)."""


@lru_cache(maxsize=1)
def build_version() -> str:
    """The beginning of the fingerprint, as it was when this process asked first: a later build is not what it runs."""
    return STAMP.read_text()[:12] if STAMP.exists() else "none"
