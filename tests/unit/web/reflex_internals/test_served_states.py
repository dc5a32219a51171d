"""Contract of `served_states.py`."""

from tests.unit.web.reflex_internals.contract import contract


def test_the_store_begins_with_the_states_of_the_page() -> None:
    with contract("utils/context.jsx makes one store, from the compiled states"):
        from reflex.compiler.templates import context_template

        from agency_site.web.reflex_internals.served_states import begin_with_served

        source = context_template(
            is_dev_mode=False,
            default_color_mode="light",
            initial_state={"state": {}},
            state_name="state",
            client_storage={"cookies": {}, "local_storage": {}, "session_storage": {}},
        )
        patched = begin_with_served(source)
        assert 'getElementById("states")' in patched
        assert begin_with_served(patched) == patched
