"""Contract of `wire_names.py`."""

import inspect

from tests.unit.web.reflex_internals.contract import contract, parameters, template


def test_pages_and_reflex_use_these_names() -> None:
    with contract("messages between a page and Reflex have these names"):
        import reflex as rx
        from reflex.app import EventNamespace

        from agency_site.web.reflex_internals import wire_names
        from agency_site.web.reflex_internals.states import all_handlers

        page = template("utils", "state.js")
        handlers = all_handlers()
        root = rx.State.get_full_name()
        assert f'"{wire_names.FORM_FIELDS}"' in page, "forms are sent in another way"
        assert all(f"{key}:" in page for key in wire_names.REPORT_KEYS)
        assert "client_error" in inspect.getsource(EventNamespace)
        assert any(name.endswith(wire_names.REPORT_EVENT) for name in handlers)
        assert all(f"{root}{end}" in handlers for end in wire_names.INTERNAL_ENDS)
        arguments = parameters(handlers[f"{root}.hydrate_and_load"])
        assert {wire_names.STORED, wire_names.HASHES} <= {*arguments}
