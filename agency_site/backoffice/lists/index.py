"""Which lists there are: the screens, the export and the search over all of them look here."""

from agency_site.backoffice.lists.definition import ListDefinition

_listings: dict[str, ListDefinition] = {}


def enrol_listing(listing: ListDefinition) -> ListDefinition:
    """Make the list known under its path. Raises ValueError when two share it."""
    if _listings.setdefault(listing.path, listing) is not listing:
        raise ValueError(f"two lists stand at {listing.path}")
    return listing


def listings() -> tuple[ListDefinition, ...]:
    """All lists."""
    return tuple(_listings.values())


def listing_named(name: str) -> ListDefinition | None:
    """The list of that name."""
    return next((one for one in _listings.values() if one.name == name), None)


def listing_at(path: str) -> ListDefinition | None:
    """The list that stands at the path, with or without a slash at its end."""
    return _listings.get(path.rstrip("/"))
