"""Leaves out what Reflex provides for colour themes and for components and scripts that it evaluates: the site has none.

A direct `eval` keeps all names of a module, and the namespaces in `window.__reflex` keep all exports of React and of the module
for the socket. Without them and the theme, every page saves 3 KB.
"""

import re
from pathlib import Path

from reflex.plugins import Plugin, PreCompileContext
from typing_extensions import Unpack

from agency_site.web.reflex_internals.generated_files import ReflexHasChanged, replace_once

_ROOT = Path("app") / "root.jsx"
_DOCUMENT = Path("app") / "_document.js"
_STATE = Path("utils") / "state.js"
_UNUSED = "pages would carry what no page uses"
_THEME_IMPORT = "import { ThemeProvider } from '$/utils/react-theme';\n"
_THEMED = """return jsx(ThemeProvider, {defaultTheme: defaultColorMode, attribute: "class"},
    jsx(AppWrap, {}, children)
  );"""
_PLAIN = "return jsx(AppWrap, {}, children);"
_NAMESPACES, _NOTHING = "window.__reflex = {", "void {"
_THEME_SCRIPT = re.compile(r'jsx\("script",\{\},"\\n// Only run in browser environment(?:[^"\\]|\\.)*"\),')
_EVAL, _INDIRECT_EVAL = " eval(", " globalThis.eval("


class PlainProviders(Plugin):
    """The plugin that patches the root, the document and the module for the socket."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        """Patch them."""
        context["add_modify_task"](str(_ROOT), drop_theme_and_namespaces)
        context["add_modify_task"](str(_DOCUMENT), drop_theme_script)
        context["add_modify_task"](str(_STATE), evaluate_indirectly)


def drop_theme_and_namespaces(source: str) -> str:
    """Return the root's source without its theme and `window.__reflex`. Raises ReflexHasChanged."""
    plain = replace_once(source.replace(_THEME_IMPORT, ""), _THEMED, _PLAIN, _ROOT, _UNUSED)
    return replace_once(plain, _NAMESPACES, _NOTHING, _ROOT, _UNUSED)


def drop_theme_script(source: str) -> str:
    """Return the document's source without the script that chooses a theme."""
    return _THEME_SCRIPT.sub("", source)


def evaluate_indirectly(source: str) -> str:
    """Return the source of `state.js` without a direct `eval`. Raises ReflexHasChanged."""
    if _EVAL not in source and _INDIRECT_EVAL not in source:
        raise ReflexHasChanged(str(_STATE), _UNUSED)
    return source.replace(_EVAL, _INDIRECT_EVAL)
