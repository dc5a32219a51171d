"""The orders that a browser remembers: the tokens of their private links in one stored text."""

import json

MOST_COURSES = 20

_LONGEST_TOKEN = 64


def parse_tokens(stored: str) -> dict[str, str]:
    """Return the private tokens by course, the newest order last.

    A visitor can change the stored text, so nothing in it is trusted: a token opens its order or nothing.
    """
    try:
        tokens = json.loads(stored or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(tokens, dict):
        return {}
    return {
        slug: token
        for slug, token in tokens.items()
        if isinstance(token, str) and 0 < len(token) <= _LONGEST_TOKEN
    }


def add_token(stored: str, slug: str, token: str) -> str:
    """Return the stored text with the order of `token` as the newest."""
    others = {course: other for course, other in parse_tokens(stored).items() if course != slug}
    return json.dumps(dict([*others.items(), (slug, token)][-MOST_COURSES:]))


def remove_token(stored: str, slug: str) -> str:
    """Return the stored text without the token of that course, which opens nothing any more."""
    others = {course: token for course, token in parse_tokens(stored).items() if course != slug}
    return json.dumps(others) if others else ""
