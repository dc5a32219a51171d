"""Every package has an approved licence, and docs/licences.md lists all of them."""

from collections.abc import Callable

import pytest

from tests.licences import ALLOWED, PAGE, browser_licences, page, python_licences, refused


@pytest.mark.parametrize("read", [python_licences, browser_licences])
def test_every_package_has_a_licence_of_the_list(read: Callable[[], dict[str, str]]) -> None:
    packages = read()
    assert len(packages) > 50
    assert {name: licence for name, licence in packages.items() if refused(licence)} == {}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", []),
        ("MIT AND (Apache-2.0 OR BSD-2-Clause)", []),
        ("GPL-3.0-only", ["GPL-3.0-only"]),
        ("MIT AND AGPL-3.0-or-later", ["AGPL-3.0-or-later"]),
        ("none", ["none"]),
        ("", [""]),
    ],
)
def test_a_licence_that_is_not_on_the_list_is_refused(expression: str, expected: list[str]) -> None:
    assert refused(expression) == expected


def test_every_licence_of_the_list_is_in_use() -> None:
    expressions = " ".join([*python_licences().values(), *browser_licences().values()]).split()
    assert set(ALLOWED) - {name.strip("()") for name in expressions} == set()


def test_the_page_is_what_the_packages_declare() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
