"""The Nu HTML checker, which validator.w3.org runs: a Java program, fetched once from npm into `.build`."""

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from agency_site.settings import ROOT
from tests.servers import missing, program

VERSION = "26.9.27"
FOLDER = ROOT / ".build" / "html-checker"
SECONDS = 240


def html_errors(documents: Mapping[str, str]) -> list[str]:
    """The errors of these HTML documents, each with the name of its document. Warnings are not among them."""
    java = program("java", "default-jre-headless") or missing("Java")
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for place, (name, text) in enumerate(documents.items()):
            file = Path(folder, f"{place}.html")
            file.write_text(text)
            names[file.name] = name
        options = ["--stdout", "--errors-only", "--exit-zero-always", "--format", "json"]
        checked = subprocess.run(
            [java, "-jar", _jar(), *options, *(Path(folder, file) for file in names)],
            check=True, capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
    return [
        f"{names[Path(error['url']).name]}: {error['message']} {error.get('extract', '')!r}"
        for error in json.loads(checked.stdout)["messages"]
    ]


def _jar() -> Path:
    jar = FOLDER / VERSION / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        # Test processes run side by side.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not jar.exists():
            _install()
    return jar


def _install() -> None:
    binaries = Path(sys.executable).parent
    quiet = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    subprocess.run(
        [binaries / "npm", "install", *quiet, "--prefix", FOLDER / VERSION, f"vnu-jar@{VERSION}"],
        check=True, capture_output=True, env={**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
