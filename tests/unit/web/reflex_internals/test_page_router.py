"""Contract of `page_router.py`."""

from tests.unit.web.reflex_internals.contract import contract, template


def test_the_entry_draws_the_router_of_the_site() -> None:
    with contract("entry.client.js imports React Router's router"):
        from agency_site.web.reflex_internals.page_router import use_page_router

        patched = use_page_router(template("app", "entry.client.js"))
        assert "react-router/dom" not in patched
        assert "createElement(HydratedRouter)" in patched
        assert use_page_router(patched) == patched


def test_the_browser_draws_nothing_of_the_document_that_needs_react_routers_own_router() -> None:
    with contract("app/_document.js draws four components of React Router"):
        from reflex.compiler.compiler import compile_document_root

        from agency_site.web.reflex_internals.page_router import draw_on_server_only, scroll_by_page_router

        _, source = compile_document_root([])
        patched = draw_on_server_only(scroll_by_page_router(source))
        assert patched.count("import.meta.env.SSR ?") == 3
        assert 'import {ScrollRestoration} from "$/routers/' in patched
        assert draw_on_server_only(scroll_by_page_router(patched)) == patched


def test_routes_export_their_components_in_a_way_that_is_not_wrapped() -> None:
    with contract("root and pages have a default export of one form each"):
        import reflex as rx
        from reflex.compiler.compiler import compile_app_root
        from reflex_base.compiler.templates import page_template

        from agency_site.web.reflex_internals.page_router import export_plainly

        _, root = compile_app_root(rx.fragment())
        page = page_template(
            imports=[], dynamic_imports=[], custom_codes=[], hooks={}, render=rx.fragment().render()
        )
        for source in (root, page):
            patched = export_plainly(source)
            assert " as default };" in patched
            assert "export default" not in patched
            assert export_plainly(patched) == patched
