"""Icons as data: inner SVG markup by name.

`ICONS` are drawn on 24 by 24 with `fill="none" stroke="currentColor" stroke-width="1.75"` and round ends
and joins on the outer element; filled parts have their own `fill`. `SOCIAL` marks are filled with `currentColor`.
"""


def _lines(*paths: str) -> str:
    return "".join(f'<path d="{d}"/>' for d in paths)


_STAR = "M12 3.2l2.7 5.6 6.1.9-4.4 4.3 1 6.1-5.4-2.9-5.4 2.9 1-6.1L3.2 9.7l6.1-.9z"
_FILLED = '<path fill="currentColor" d="{d}"/>'

_ACTIONS: dict[str, str] = {
    "menu": _lines("M4 7h16M4 12h16M4 17h16"),
    "close": _lines("M6 6l12 12M18 6L6 18"),
    "arrow-right": _lines("M4 12h16M14 6l6 6-6 6"),
    "arrow-left": _lines("M20 12H4M10 6l-6 6 6 6"),
    "arrow-up": _lines("M12 20V4M6 10l6-6 6 6"),
    "chevron-down": _lines("M6 9l6 6 6-6"),
    "chevron-left": _lines("M15 6l-6 6 6 6"),
    "chevron-right": _lines("M9 6l6 6-6 6"),
    "plus": _lines("M12 5v14M5 12h14"),
    "minus": _lines("M5 12h14"),
    "play": _FILLED.format(d="M8 5.5v13l10.5-6.5z"),
    "pause": _lines("M9 5.5v13M15 5.5v13"),
    "check": _lines("M5 12.5l4.5 4.5L19 7"),
    "alert": _lines("M12 4L2.5 20h19z", "M12 10v4.5M12 17.3v.1"),
    "info": '<circle cx="12" cy="12" r="9"/>' + _lines("M12 11v5.5M12 7.5v.1"),
    "search": '<circle cx="11" cy="11" r="6.5"/>' + _lines("M16 16l4.5 4.5"),
    "download": _lines("M12 4v11M7 10.5l5 5 5-5M4.5 20h15"),
    "refresh": _lines("M20 5v5h-5", "M19.5 10a8 8 0 1 0 .3 4.5"),
    "external": _lines("M14 4h6v6M20 4l-9 9", "M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5"),
    "lock": '<rect x="5" y="10.5" width="14" height="10" rx="2.5"/>' + _lines("M8 10.5V8a4 4 0 0 1 8 0v2.5"),
    "share": _lines("M12 15V4M8 7.5L12 3.5l4 4M5 12v7a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-7"),
    "move": _lines(
        "M12 3v18M3 12h18",
        "M9.5 5.5L12 3l2.5 2.5M9.5 18.5L12 21l2.5-2.5M5.5 9.5L3 12l2.5 2.5M18.5 9.5L21 12l-2.5 2.5",
    ),
    "filter": _lines("M4 7h16M7 12h10M10 17h4"),
    "bookmark": _lines("M6.5 3.5h11v17L12 16l-5.5 4.5z"),
    "bookmark-full": _FILLED.format(d="M6.5 3.5h11v17L12 16l-5.5 4.5z"),
}

FACTS: dict[str, str] = {
    "phone": _lines(
        "M5 4h3.5l1.5 4.5-2 1.5a12 12 0 0 0 6 6l1.5-2 4.5 1.5V19a1.5 1.5 0 0 1-1.5 1.5A15.5"
        " 15.5 0 0 1 3.5 5.5 1.5 1.5 0 0 1 5 4z"
    ),
    "mail": '<rect x="3" y="5.5" width="18" height="13" rx="2.5"/>' + _lines("M4 7.5l8 6 8-6"),
    "rss": '<circle cx="6" cy="18" r="1.4" fill="currentColor"/>'
    + _lines("M4.6 11.4a8 8 0 0 1 8 8M4.6 4.8a14.6 14.6 0 0 1 14.6 14.6"),
    "pin": _lines("M12 21c4.5-4.7 6.5-8 6.5-11a6.5 6.5 0 0 0-13 0c0 3 2 6.3 6.5 11z")
    + '<circle cx="12" cy="10" r="2.3"/>',
    "clock": '<circle cx="12" cy="12" r="8.5"/>' + _lines("M12 7v5l3.5 2"),
    "calendar": '<rect x="3.5" y="5" width="17" height="15.5" rx="2.5"/>' + _lines("M3.5 10h17M8 3v4M16 3v4"),
    "star": _FILLED.format(d=_STAR),
    "star-half": _lines(_STAR)
    + '<path fill="currentColor" stroke="none" d="M12 3.2v14.3l-5.4 2.9 1-6.1L3.2 9.7l6.1-.9z"/>',
    "star-empty": _lines(_STAR),
    "user": '<circle cx="12" cy="8" r="4"/>' + _lines("M4.5 20.5c.5-4.5 3.5-6.5 7.5-6.5s7 2 7.5 6.5"),
    "users": '<circle cx="9" cy="8.5" r="3.5"/>'
    + _lines(
        "M2.5 19.5c.4-4 3-5.5 6.5-5.5s6.1 1.5 6.5 5.5M15.5 5.3a3.5 3.5 0 0 1 0 6.4M18 14.6c2"
        " .7 3.2 2.3 3.5 4.9"
    ),
    "certificate": '<circle cx="12" cy="9" r="5.5"/>' + _lines("M8.5 13.5L7.5 21l4.5-2.5L16.5 21l-1-7.5"),
    "level": _lines("M5 20v-5M12 20V10M19 20V4"),
    "receipt": _lines("M6 3.5h12v17l-2.4-1.6-2.4 1.6-2.4-1.6-2.4 1.6L6 20.5zM9.5 8.5h5M9.5 12.5h5"),
    "wallet": '<rect x="3" y="6" width="18" height="13" rx="2.5"/>'
    + _lines("M6 6l9.5-3 1 3M21 10.5h-4.5a2 2 0 0 0 0 4H21"),
    "scales": _lines("M12 4v16M8 20h8M5 6.5h14M5 6.5L2.5 13h5zM19 6.5L16.5 13h5z"),
    "tag": _lines("M4 12.5V4.5h8l8 8-8 7.5z") + _FILLED.format(d="M8 8.3h.1"),
}

SERVICES: dict[str, str] = {
    "web": '<rect x="3" y="4.5" width="18" height="15" rx="2.5"/>'
    + _lines("M3 9h18M6 6.8h.1M8.5 6.8h.1M7 13h5M7 16h3"),
    "social": _lines(
        (
            "M4 5.5h11a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5H9L5 18v-3.5H4A1.5 1.5 0 0 1"
            " 2.5 13V7A1.5 1.5 0 0 1 4 5.5z"
        ),
        "M19.5 9.5H20A1.5 1.5 0 0 1 21.5 11v5a1.5 1.5 0 0 1-1.5 1.5h-.5V20L16 17.5h-3.5",
    ),
    "code": _lines("M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14"),
    "ads": _lines("M4 10v4.5h3.5L17 19V5.5L7.5 10z", "M20 9.5a4 4 0 0 1 0 5.5M8 14.5l1.5 5.5h2.5l-1-4"),
    "strategy": '<circle cx="12" cy="12" r="8.5"/><circle cx="12" cy="12" r="4"/>'
    + _lines("M12 12l8-8M17 4l.2 2.8L20 7"),
    "identity": _lines(
        "M12 3l4.5 4.5L12 12 7.5 7.5zM16.5 7.5L21 12l-4.5 4.5L12 12zM12 12l4.5 4.5L12 21"
        "l-4.5-4.5zM7.5 7.5L12 12l-4.5 4.5L3 12z"
    ),
    "training": _lines("M2.5 9.5L12 5l9.5 4.5L12 14z", "M6.5 11.5v4.5c3 2.7 8 2.7 11 0v-4.5M21.5 9.5v5.5"),
    "camera": _lines(
        "M4.5 7.5h3L9 5h6l1.5 2.5h3A1.5 1.5 0 0 1 21 9v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0"
        " 0 1 3 18V9a1.5 1.5 0 0 1 1.5-1.5z"
    )
    + '<circle cx="12" cy="13" r="3.5"/>',
}
"""One per service, in the order of the services page."""

COURSES: dict[str, str] = {
    "course-digital-marketing": _lines("M4 19.5V4.5M4 19.5h16M7.5 15l4-4.5 3 2.5 5-6.5M15.5 6.5h4v4"),
    "course-social-media-marketing": SERVICES["social"],
    "course-google-ads": '<circle cx="10.5" cy="10.5" r="6.5"/>'
    + _lines("M15.3 15.3L20.5 20.5M7.5 12.5V10M10.5 12.5V7.5M13.5 12.5V9"),
    "course-digital-marketing-masterclass": _lines(
        "M12 3.5l8.5 4.5L12 12.5 3.5 8zM3.5 12l8.5 4.5 8.5-4.5M3.5 16l8.5 4.5 8.5-4.5"
    ),
    "course-meta-ads": _lines(
        "M3 15.5c0-5 2-9 4.5-9 4 0 5.5 11 9.5 11 2.5 0 4-1.5 4-4.5 0-3.5-2-6.5-4.5-6.5-4"
        " 0-5.5 11-9.5 11C4.5 17.5 3 17 3 15.5z"
    ),
    "course-canva-design": _lines("M4 20l1-4.5L15.5 5l3.5 3.5L8.5 19zM13 7.5l3.5 3.5M14 20h6"),
    "course-graphic-design": _lines(
        "M12 3a9 9 0 1 0 0 18c1.5 0 2-1 1.7-2.2-.5-2 .6-3.3 2.5-3.3H18a3 3 0 0 0 3-3.2C20.7 7 16.7 3 12 3z",
        "M7.5 12.5v.1M9 8v.1M13.5 6.8v.1M17 9.8v.1",
    ),
    "course-email-marketing": FACTS["mail"],
    "course-digital-skills": '<rect x="7" y="2.5" width="10" height="19" rx="2.5"/>'
    + _lines("M11 18.5h2M10 12l1.5 1.5L14.5 9.5"),
}
"""One per course, named after its slug."""

SOCIAL: dict[str, str] = {
    "linkedin": (
        '<path d="M4 9h4v11H4zM6 3.5a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4zM10 9h3.8v1.6'
        "c.7-1.2 2-1.9 3.6-1.9 3 0 4.1 1.9 4.1 5V20h-4v-5.7c0-1.5-.4-2.4-1.6-2.4-1.3"
        ' 0-1.9.9-1.9 2.5V20h-4z"/>'
    ),
    "instagram": (
        '<path fill-rule="evenodd" d="M7.5 2.5h9a5 5 0 0 1 5 5v9a5 5 0 0 1-5 5h-9a5 5 0 0'
        " 1-5-5v-9a5 5 0 0 1 5-5zm0 2a3 3 0 0 0-3 3v9a3 3 0 0 0 3 3h9a3 3 0 0 0 3-3v-9a3 3 0"
        " 0 0-3-3zM12 7.3a4.7 4.7 0 1 1 0 9.4 4.7 4.7 0 0 1 0-9.4zm0 2a2.7 2.7 0 1 0 0 5.4"
        ' 2.7 2.7 0 0 0 0-5.4zM17 5.8a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4z"/>'
    ),
    "facebook": (
        '<path d="M13.7 21.5v-8h2.8l.5-3.3h-3.3V8.2c0-1 .4-1.7 1.8-1.7H17.2V3.6'
        'c-.6-.1-1.4-.2-2.3-.2-2.7 0-4.4 1.6-4.4 4.4v2.4H7.5v3.3h3v8z"/>'
    ),
    "x": (
        '<path fill-rule="evenodd" d="M3 3.5h5.6l4.2 5.8 5-5.8h2.4l-6.3 7.3L21 20.5h-5.6'
        'l-4.6-6.3-5.4 6.3H3l6.7-7.8zm3.3 1.8l9.9 13.4h1.5L7.8 5.3z"/>'
    ),
    "youtube": (
        '<path fill-rule="evenodd" d="M6 5h12a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4H6a4 4 0 0 1-4-4V9'
        'a4 4 0 0 1 4-4zm4 4v6l5.2-3z"/>'
    ),
    "pinterest": (
        '<path d="M12 2.5a9.5 9.5 0 0 0-3.5 18.3c-.1-.7-.1-1.9.1-2.7l1.2-5s-.3-.6-.3-1.5'
        "c0-1.4.8-2.5 1.9-2.5.9 0 1.3.6 1.3 1.4 0 .9-.6 2.2-.9 3.4-.2 1 .5 1.8 1.5 1.8 1.8 0"
        " 3.2-1.9 3.2-4.7 0-2.4-1.7-4.1-4.2-4.1-2.9 0-4.6 2.2-4.6 4.4 0 .9.3 1.8.8 2.3v.4l-.3"
        " 1.2c0 .2-.2.2-.4.1-1.3-.6-2.1-2.5-2.1-4 0-3.2 2.3-6.2 6.8-6.2 3.5 0 6.3 2.5 6.3 5.9"
        " 0 3.5-2.2 6.3-5.3 6.3-1 0-2-.5-2.3-1.2l-.6 2.4c-.2.9-.8 1.9-1.2 2.6A9.5 9.5 0 1 0"
        ' 12 2.5z"/>'
    ),
}
"""Marks of networks, filled."""

ICONS: dict[str, str] = _ACTIONS | FACTS | SERVICES | COURSES
