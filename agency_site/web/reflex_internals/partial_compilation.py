"""Compiles some of the pages: Reflex compiles all of them before it writes the first one, and has no option for less.

The site is not imported at the top, because each compilation runs in a separate process (`web/build/recompile.py`).
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any


def load_app() -> Any:
    """Import the app in its present version."""
    from reflex.utils import prerequisites

    return prerequisites.get_app().app


def work_folder() -> Path:
    """Return Reflex's folder of compiled pages."""
    from reflex.utils.prerequisites import get_web_dir

    return get_web_dir()


def compile_all(app: Any) -> None:
    """Compile and write all pages; npm is called only for packages that are not locked."""
    from agency_site.web.reflex_internals.locked_packages import installing_packages

    with installing_packages():
        app._compile(use_rich=False)


def compile_group(app: Any, routes: Collection[str]) -> None:
    """Compile and write the pages at `routes` and all pages of their modules: Reflex writes parts of pages by module."""
    from reflex.compiler import compiler
    from reflex.compiler.plugins import default_page_plugins
    from reflex.compiler.utils import get_page_path, resolve_path_of_web_dir
    from reflex.utils.path_ops import write_file
    from reflex_base.components.memo import MEMOS
    from reflex_base.config import get_config
    from reflex_base.plugins import CompileContext, CompilerHooks

    pages = app._unevaluated_pages.values()
    modules = {page._source_module for page in pages if Path(get_page_path(page.route)).name in routes}
    plugins = default_page_plugins(style=app.style, plugins=get_config().plugins)
    context = CompileContext(
        app=app,
        pages=[page for page in pages if page._source_module in modules],
        hooks=CompilerHooks(plugins=plugins),
    )
    with context:
        compiled = context.compile().values()
    files, _ = compiler.compile_memo_components((*MEMOS.values(), *context.auto_memo_components.values()))
    files += [(page.output_path or "", page.output_code or "") for page in compiled]
    for path, code in files:
        write_file(resolve_path_of_web_dir(path), code)
