"""React begins with the states from which the server has drawn a page, so that it adopts what it finds there."""

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.generated_files import replace_once

_FILE = "utils/context.jsx"
_CONSEQUENCE = "React would draw other content than the server"
_COMPILED = "createStateStore(initialState));"
_SERVED = """{
    const served = JSON.parse(document.getElementById("states")?.textContent ?? "{}");
    const begin = ([name, values]) => [name, { ...values, ...served[name] }];
    return createStateStore(Object.fromEntries(Object.entries(initialState).map(begin)));
  });"""


class ServedStates(Plugin):
    """The plugin that patches the store of states."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch the store."""
        context["add_modify_task"](_FILE, begin_with_served)


def begin_with_served(source: str) -> str:
    """Return the module's source with a store that begins with the states in the page. Raises ReflexHasChanged."""
    return replace_once(source, _COMPILED, _SERVED, _FILE, _CONSEQUENCE)
