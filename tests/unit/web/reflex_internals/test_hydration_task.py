"""Contract of `hydration_task.py`."""

from tests.unit.web.reflex_internals.contract import contract, template


def test_hydration_begins_in_a_task_of_its_own_over_the_plain_page() -> None:
    with contract("entry.client.js hydrates the document in one statement"):
        from agency_site.web.reflex_internals.hydration_task import guard_plain_page, start_later

        patched = guard_plain_page(start_later(template("app", "entry.client.js")))
        assert patched.rstrip().endswith(
            "setTimeout(() => startTransition(() => {\n  hydrateOverPlainPage((options) => "
            "hydrateRoot(document, createElement(HydratedRouter), options));\n}));"
        )
        assert patched.count("plain_page.js") == 1
        assert guard_plain_page(start_later(patched)) == patched
