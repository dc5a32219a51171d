"""Contract of `plain_providers.py`."""

from tests.unit.web.reflex_internals.contract import contract, template


def test_the_root_has_no_theme_and_publishes_no_namespaces() -> None:
    with contract("app/root.jsx wraps the page in a theme and publishes namespaces"):
        import reflex as rx
        from reflex.compiler.compiler import compile_app_root

        from agency_site.web.reflex_internals.plain_providers import drop_theme_and_namespaces

        _, source = compile_app_root(rx.fragment())
        patched = drop_theme_and_namespaces(source)
        assert "ThemeProvider" not in patched
        assert "window.__reflex = " not in patched
        assert drop_theme_and_namespaces(patched) == patched


def test_the_document_chooses_no_theme() -> None:
    with contract("app/_document.js begins with a script that chooses a theme"):
        from reflex.compiler.compiler import compile_document_root

        from agency_site.web.reflex_internals.plain_providers import drop_theme_script

        _, source = compile_document_root([])
        assert "colorScheme" in source
        assert "colorScheme" not in drop_theme_script(source)


def test_nothing_is_evaluated_directly() -> None:
    with contract("utils/state.js evaluates in one way"):
        from agency_site.web.reflex_internals.plain_providers import evaluate_indirectly

        patched = evaluate_indirectly(template("utils", "state.js"))
        assert "globalThis.eval(" in patched
        assert " eval(" not in patched
        assert evaluate_indirectly(patched) == patched
