"""The orders that a browser remembers: the tokens of their private links in one stored text."""

import json

MOST_COURSES = 20

_LONGEST_TOKEN = 64


def parse_tokens(stored: str) -> dict[str, str]:
    """The private tokens that a browser keeps, by course, the newest order last.

    A visitor can change what the browser keeps, so nothing here is trusted: a token opens its order or nothing.
    """
    try:
        found = json.loads(stored or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    texts = {slug: token for slug, token in found.items() if isinstance(token, str)}
    return {slug: token for slug, token in texts.items() if 0 < len(token) <= _LONGEST_TOKEN}


def add_token(stored: str, slug: str, token: str) -> str:
    """What the browser keeps once the order of `token` is the newest."""
    others = {course: kept for course, kept in parse_tokens(stored).items() if course != slug}
    return json.dumps(dict([*others.items(), (slug, token)][-MOST_COURSES:]))


def remove_token(stored: str, slug: str) -> str:
    """What the browser keeps once the token for that course opens nothing."""
    others = {course: kept for course, kept in parse_tokens(stored).items() if course != slug}
    return json.dumps(others) if others else ""
