"""Contract of our own scripts: what they import of Reflex's modules in the browser exists there."""

import re

from agency_site.settings import ROOT
from tests.unit.web.reflex_internals.contract import contract, template

IMPORT = re.compile(r'import \{ ([^}]+) \} from "\$/utils/([\w-]+)";')
MODULES = {"context-registry": "context-registry.js", "context": "context-registry.js", "state": "state.js"}
"""`context` is written by the compiler and passes on what the registry exports."""


def test_what_scripts_import_of_reflex_is_exported() -> None:
    results = [
        (name, module)
        for path in (ROOT / "agency_site").rglob("*.jsx")
        for names, module in IMPORT.findall(path.read_text(encoding="utf-8"))
        for name in names.split(", ")
    ]
    assert results
    with contract("modules in the browser export what our scripts import"):
        for name, module in results:
            source = template("utils", MODULES[module])
            assert re.search(rf"export (?:const|function) {name}\b", source), f"{name} of {module}"


def test_the_back_office_adds_its_states_to_those_that_a_page_knows() -> None:
    with contract("a page reads the defaults of its states from `app.initialState`"):
        assert "app.initialState?.[name]" in template("utils", "context-registry.js")
