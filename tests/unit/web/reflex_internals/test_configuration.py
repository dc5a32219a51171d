"""Contract of `configuration.py`."""

import os

import pytest

from tests.unit.web.reflex_internals.contract import contract


def test_a_production_build_is_known_by_one_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REFLEX_ENV_MODE", "REFLEX_SKIP_COMPILE", "__REFLEX_SKIP_COMPILE"):
        # So that what the call sets is removed again.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    with contract("REFLEX_ENV_MODE says whether a build is for production"):
        from agency_site.web.reflex_internals.configuration import is_production_build, serve_compiled_site

        serve_compiled_site()
        assert is_production_build()
        # Workers inherit what the process has set.
        assert os.environ["REFLEX_ENV_MODE"] == "prod"
        assert any(name.endswith("REFLEX_SKIP_COMPILE") for name in os.environ)


def test_the_configuration_takes_the_kinds_of_stores() -> None:
    with contract("states are kept in memory or in Redis"):
        import reflex as rx

        from agency_site.web.reflex_internals.configuration import MEMORY_STATES, REDIS_STATES

        for kind, url in ((MEMORY_STATES, None), (REDIS_STATES, "redis://localhost")):
            config = rx.Config(app_name="agency_site", state_manager_mode=kind, redis_url=url)
            assert config.state_manager_mode is kind
