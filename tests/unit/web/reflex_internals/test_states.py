"""Contract of `states.py`."""

from tests.unit.web.reflex_internals.contract import contract


def test_a_state_without_a_page_has_its_defaults() -> None:
    with contract("a state can be made without a page"):
        from agency_site.backoffice.state import StaffState
        from agency_site.web.reflex_internals.states import compiled_defaults, compiled_json, new_state

        assert new_state(StaffState).opened is False
        result = compiled_defaults(StaffState)
        assert StaffState.get_full_name() in result
        assert compiled_json(result).startswith("{")


def test_handlers_and_stored_fields_are_registered() -> None:
    with contract("all handlers are registered by their full names"):
        import reflex as rx

        from agency_site.backoffice.state import StaffState
        from agency_site.web.reflex_internals.states import (
            all_handlers,
            replaces_reflex_method,
            stored_fields,
        )

        handlers = all_handlers()
        assert callable(handlers[f"{StaffState.get_full_name()}.search"])
        assert callable(handlers[f"{rx.State.get_full_name()}.hydrate"])
        assert all(isinstance(name, str) for name in stored_fields())
        assert callable(replaces_reflex_method(lambda: None))
