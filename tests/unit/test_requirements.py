"""Every installed package has one version and the hashes of its files."""

import re
import tomllib
from pathlib import Path

import pytest

from agency_site.settings import ROOT
from agency_site.web.build import packages

LOCKED = (
    "requirements.txt",
    "tests/requirements.txt",
    "tests/mutants-requirements.txt",
    "tests/sbom-requirements.txt",
    "tools/studio/requirements.txt",
    "uv-requirements.txt",
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def blocks(path: Path) -> dict[str, str]:
    """The lines of each package of a locked file, by its first line."""
    results: dict[str, str] = {}
    name = ""
    for line in path.read_text().splitlines():
        if not line.startswith((" ", "#")):
            name = line.removesuffix(" \\")
            results[name] = ""
        results[name] += line
    return results


def pins(path: Path) -> dict[str, str]:
    """The version of each package of a locked file."""
    return dict(block.split("==") for block in blocks(path))


@pytest.mark.parametrize("name", LOCKED)
def test_every_package_has_one_version_and_hashes(name: str) -> None:
    loose = [
        first
        for first, block in blocks(ROOT / name).items()
        if not re.fullmatch(r"[a-z0-9.-]+==[\w.]+", first) or "--hash=sha256:" not in block
    ]
    assert loose == []


def test_the_locked_versions_are_those_of_the_project() -> None:
    locked = pins(ROOT / "requirements.txt")
    direct = {
        name.partition("[")[0]: version
        for name, version in (line.split("==") for line in PROJECT["dependencies"])
    }
    assert {name: locked.get(name) for name in direct} == direct


def test_tests_run_with_the_versions_that_the_site_runs_with() -> None:
    tested = pins(ROOT / "tests" / "requirements.txt")
    assert {name: tested.get(name) for name in pins(ROOT / "requirements.txt")} == pins(
        ROOT / "requirements.txt"
    )


def test_nothing_is_installed_but_what_is_locked() -> None:
    lines = [
        line for name in ("Makefile", "deploy/Dockerfile") for line in (ROOT / name).read_text().splitlines()
    ]
    (image,) = [line for line in lines if "pip install" in line]
    for command in (packages.PIP, packages.UV, image.split()):
        assert {"--no-deps", "--require-hashes"} <= set(command)
