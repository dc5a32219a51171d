"""`python -m agency_site.web.build.packages FILE`: install the packages that a requirements file locks into this environment.

uv takes a third of pip's time. pip installs uv, and takes its place where uv cannot be had or does not succeed. Either way each
file must have one of the hashes that the requirements list, from whichever index it comes. They list everything, so nothing is
resolved (`--no-deps`): a new release of what a package names with an extra would refuse to be installed.

uv takes wheels only, because what builds a source archive has no hash in the lists. Only where a wheel is missing pip builds one.

Only the standard library may be imported, because nothing else is installed yet.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

from agency_site.web.progress import report_step

ROOT = Path(__file__).parents[3]
LOG = ROOT / ".build" / "packages.log"
_LOCKED = ("--no-deps", "--require-hashes", "-r")
PIP = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *_LOCKED)
UV = (
    *(str(Path(sys.executable).with_name("uv")), "pip", "install", "--python", sys.executable),
    *("--only-binary", ":all:", *_LOCKED),
)
_UV_REQUIREMENTS = ROOT / "uv-requirements.txt"
_NAMES_IN_UV = {
    "cert": "SSL_CERT_FILE",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
    "no-index": "UV_NO_INDEX",
}
"""Settings of pip that decide where packages come from, and the variables of uv that mean the same."""
_LINES = 20


def main(requirements: str) -> int:
    """Install the packages; return the exit code."""
    LOG.parent.mkdir(exist_ok=True)
    try:
        with report_step(f"Python packages of {requirements}") as report, LOG.open("w") as log:
            _install(requirements, log, report)
    except subprocess.CalledProcessError:
        end = LOG.read_text(errors="replace").splitlines()[-_LINES:]
        print(
            f"The packages could not be installed. The end of the log {LOG}:", *end, sep="\n", file=sys.stderr
        )
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _install(requirements: str, log: TextIO, report: Callable[[str], None]) -> None:
    """Raise CalledProcessError if neither uv nor pip can install the packages."""
    try:
        report("pip installs uv")
        _run((*PIP[:-1], "--only-binary=:all:", "-r", str(_UV_REQUIREMENTS)), log, os.environ)
        report("uv installs packages")
        _run((*UV, requirements), log, _uv_environment())
    except (OSError, subprocess.CalledProcessError):
        report("pip installs packages")
        _run((*PIP, requirements), log, os.environ)


def _run(command: tuple[str, ...], log: TextIO, environment: Mapping[str, str]) -> None:
    subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment, check=True)


def _uv_environment() -> dict[str, str]:
    """Return the environment for uv: what it sets for uv, then what pip's configuration says."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    return {**uv_settings(listed), **os.environ}


def uv_settings(pip_configuration: str) -> dict[str, str]:
    """Return the variables of uv for the output of `pip config list`."""
    values = {}
    # A section for one command comes before the one for all, and the environment before both.
    for section in ("global", "install", ":env:"):
        for line in pip_configuration.splitlines():
            name, _, value = line.partition("=")
            if name.startswith(f"{section}."):
                values[name.removeprefix(f"{section}.")] = ast.literal_eval(value)
    # pip separates addresses by any white space.
    for name, separator in (("extra-index-url", " "), ("find-links", ",")):
        if name in values:
            values[name] = separator.join(values[name].split())
    # As in pip, the indexes are one. uv would ask the others only for packages that the first lacks in all versions.
    return {"UV_INDEX_STRATEGY": "unsafe-best-match"} | {
        variable: values[name] for name, variable in _NAMES_IN_UV.items() if name in values
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
