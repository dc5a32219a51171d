"""Addresses that pages of staff must not take: those of the site's own pages, routes and files."""

from collections.abc import Iterable

_reserved: set[str] = set()


def reserve_paths(paths: Iterable[str]) -> None:
    """Keep these paths, and those that begin like them, for the site. The composition root knows all of them."""
    _reserved.update(path.lower().rstrip("/") for path in paths)


def is_reserved(path: str) -> bool:
    """Return whether the site itself answers at that path or below it."""
    return any(reserved == path or reserved.startswith(f"{path}/") for reserved in _reserved)
