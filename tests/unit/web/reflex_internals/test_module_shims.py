"""Contract of `module_shims.py`."""

from tests.unit.web.reflex_internals.contract import contract


def test_the_bundler_has_an_alias_for_each_shim() -> None:
    with contract("vite.config.js has one list of aliases"):
        import reflex as rx
        from reflex.utils.frontend_skeleton import _compile_vite_config

        from agency_site.web.reflex_internals.module_shims import SHIMS, add_shim_aliases

        source = add_shim_aliases(_compile_vite_config(rx.Config(app_name="agency_site")))
        for part, name in SHIMS.items():
            assert f'find: "{part}", replacement: fileURLToPath(new URL("./shims/{name}"' in source
        assert add_shim_aliases(source) == source
