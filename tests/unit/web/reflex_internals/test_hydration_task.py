"""Contract of `hydration_task.py`."""

from tests.unit.web.reflex_internals.contract import contract, template


def test_hydration_begins_in_a_task_of_its_own() -> None:
    with contract("entry.client.js hydrates the document in one statement"):
        from agency_site.web.reflex_internals.hydration_task import start_later

        patched = start_later(template("app", "entry.client.js"))
        assert patched.rstrip().endswith(
            "setTimeout(() => startTransition(() => {\n  hydrateRoot(document, createElement(HydratedRouter));\n}));"
        )
        assert start_later(patched) == patched
