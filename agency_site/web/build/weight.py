"""What the site's scripts must not contain; the build stops and names the module that imports it."""

import re
from collections.abc import Iterator
from pathlib import Path

_HEAVY = {
    "@radix-ui/themes": "Radix Themes (an rx.button, rx.text, …: use rx.el.*)",
    "@radix-ui/": "a Radix primitive",
    "react-markdown": "rx.markdown (articles are rendered in Python)",
    "remark-": "rx.markdown (articles are rendered in Python)",
    "rehype-": "rx.markdown (articles are rendered in Python)",
    "katex": "rx.markdown with mathematics",
    "react-syntax-highlighter": "rx.code_block",
    "shiki": "rx.code_block",
    "react-moment": "rx.moment (ui/behaviours.Interval ticks)",
    "moment": "rx.moment (ui/behaviours.Interval ticks)",
    "react-dropzone": "rx.upload",
    "plotly.js": "rx.plotly",
    "react-plotly.js": "rx.plotly",
    "lucide-react": "rx.icon (ui/icon draws them)",
    "sonner": "a toaster (the site has its own lines)",
}
"""Beginnings of what compiled pages may not import, and what in Python brings it: each costs every visitor 10 to 200 KB."""

_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"'$.][^"']*)["']""")
_STYLE = re.compile(r"\bcss:\(")
_COMPILED = ("app", "app_components", "utils", "agency_site")
_SUFFIXES = frozenset({".js", ".jsx"})


def find_unwanted(compiled: Path) -> list[str]:
    """What compiled pages bring in that they must not, one line each; `compiled` is Reflex's work folder."""
    return sorted(
        f"{path.relative_to(compiled)}: {reason}"
        for path in _sources(compiled)
        for reason in _reasons(path.read_text())
    )


def _sources(compiled: Path) -> Iterator[Path]:
    for top in _COMPILED:
        yield from (path for path in (compiled / top).rglob("*") if path.suffix in _SUFFIXES)


def _reasons(source: str) -> set[str]:
    found = {
        f"imports {name}, {heavy}"
        for name in _IMPORT.findall(source)
        if (heavy := _find_heavy(name)) is not None
    }
    if _STYLE.search(source):
        # Reflex turns what it takes for a style into one, a misspelt attribute as well.
        found.add("has a style of its own (style= or an unknown attribute): use a class")
    return found


def _find_heavy(name: str) -> str | None:
    package = name.partition("@")[0] if not name.startswith("@") else name
    for start, brought_by in _HEAVY.items():
        whole = start.endswith(("/", "-")) and package.startswith(start)
        if whole or package == start or package.startswith(f"{start}/"):
            return brought_by
    return None
