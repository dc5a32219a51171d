"""What a browser keeps of its orders: the private token of the newest order for each course, as a JSON object.

Anybody may change what their browser keeps, so nothing here is taken on trust: a token opens its order or nothing.
"""

import json

MOST_COURSES = 20
LONGEST_TOKEN = 64


def read_tokens(stored: str) -> dict[str, str]:
    """Tokens by course, the newest order last."""
    try:
        found = json.loads(stored or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    texts = {slug: token for slug, token in found.items() if isinstance(token, str)}
    return {slug: token for slug, token in texts.items() if 0 < len(token) <= LONGEST_TOKEN}


def with_token(stored: str, slug: str, token: str) -> str:
    """What to keep once the order of `token` is the newest."""
    others = {course: kept for course, kept in read_tokens(stored).items() if course != slug}
    return json.dumps(dict([*others.items(), (slug, token)][-MOST_COURSES:]))


def without_token(stored: str, slug: str) -> str:
    """What to keep once the token for that course opens nothing."""
    others = {course: kept for course, kept in read_tokens(stored).items() if course != slug}
    return json.dumps(others) if others else ""
