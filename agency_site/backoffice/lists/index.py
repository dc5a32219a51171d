"""Which lists there are: the screens, the export and the search over all of them look here."""

from agency_site.backoffice.lists.definition import Listing

_listings: dict[str, Listing] = {}


def enrol_listing(listing: Listing) -> Listing:
    """Make the list known under its path. Raises ValueError when two share it."""
    if _listings.setdefault(listing.path, listing) is not listing:
        raise ValueError(f"two lists stand at {listing.path}")
    return listing


def listings() -> tuple[Listing, ...]:
    """All lists."""
    return tuple(_listings.values())


def listing_named(name: str) -> Listing | None:
    """The list of that name."""
    return next((one for one in _listings.values() if one.name == name), None)


def listing_at(path: str) -> Listing | None:
    """The list that stands at the path, with or without a slash at its end."""
    return _listings.get(path.rstrip("/"))
