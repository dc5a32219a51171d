"""Contract of `open_pages.py`."""

from tests.unit.web.reflex_internals.contract import contract


def test_the_development_server_notes_which_pages_are_open() -> None:
    with contract("vite.config.js has one list of plugins"):
        import reflex as rx
        from reflex.utils.frontend_skeleton import _compile_vite_config

        from agency_site.web.reflex_internals.open_pages import use_open_pages

        source = use_open_pages(_compile_vite_config(rx.Config(app_name="agency_site")))
        assert source.startswith('import openPages from "./open_pages.js";')
        assert source.count("openPages(),") == 1
        assert use_open_pages(source) == source
