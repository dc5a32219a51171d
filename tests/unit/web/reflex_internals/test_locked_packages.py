"""Contract of `locked_packages.py`, and the choice between our installation and Reflex's own."""

import pytest

from agency_site.web.reflex_internals.locked_packages import are_locked, required_packages
from tests.unit.web.reflex_internals.contract import contract, parameters


def test_reflex_installs_by_one_function_after_compiling() -> None:
    with contract("an app installs packages by js_runtimes.install_frontend_packages(packages, config)"):
        from reflex import app
        from reflex.utils import js_runtimes

        assert parameters(js_runtimes.install_frontend_packages) == ["packages", "config"]
        assert vars(app)["js_runtimes"] is js_runtimes


def test_the_lock_names_all_that_reflex_and_its_plugins_need() -> None:
    with contract("packages and plugins name their dependencies; update `reflex.lock/` from a build"):
        from reflex_base.config import get_config

        required = required_packages({"react-day-picker"}, get_config().plugins)
        assert any(package.startswith("tailwindcss@") for package in required)
        assert are_locked(required)


@pytest.mark.parametrize(
    ("package", "is_locked"),
    [
        ("react-day-picker", True),
        ("@react-router/node", True),
        ("lucide-react", False),
        ("react@1.0.0", False),
        ("@react-router/node@1.0.0", False),
    ],
)
def test_reflex_installs_what_is_not_locked_in_the_required_version(package: str, *, is_locked: bool) -> None:
    assert are_locked({package}) is is_locked
