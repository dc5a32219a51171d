"""Imports that the site's scripts must not contain; the build stops and names the module that imports one."""

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
"""Prefixes of forbidden imports, with their cause in Python: each would cost every visitor 10 to 200 KB."""

_IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"'$.][^"']*)["']""")
_STYLE = re.compile(r"\bcss:\(")
_COMPILED = ("app", "app_components", "utils", "agency_site")
_SUFFIXES = frozenset({".js", ".jsx"})


def find_unwanted(compiled: Path) -> list[str]:
    """Return a line for each forbidden import of compiled pages; `compiled` is Reflex's work folder."""
    return sorted(
        f"{path.relative_to(compiled)}: {reason}"
        for path in _sources(compiled)
        for reason in _reasons(path.read_text())
    )


def _sources(compiled: Path) -> Iterator[Path]:
    for top in _COMPILED:
        yield from (path for path in (compiled / top).rglob("*") if path.suffix in _SUFFIXES)


def _reasons(source: str) -> set[str]:
    reasons = {
        f"imports {name}, {heavy}"
        for name in _IMPORT.findall(source)
        if (heavy := _find_heavy(name)) is not None
    }
    if _STYLE.search(source):
        # Reflex turns unknown attributes, such as misspelt ones, into styles.
        reasons.add("has a style of its own (style= or an unknown attribute): use a class")
    return reasons


def _find_heavy(name: str) -> str | None:
    package = name.partition("@")[0] if not name.startswith("@") else name
    for start, brought_by in _HEAVY.items():
        is_prefix = start.endswith(("/", "-")) and package.startswith(start)
        if is_prefix or package == start or package.startswith(f"{start}/"):
            return brought_by
    return None
