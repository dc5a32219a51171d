"""`python -m agency_site.web.build.recompile`: compile pages for the development server after every change.

Reflex compiles all pages before it writes the first one, and none of its settings changes that: some ten seconds of
processor time after every changed word. Here the pages that a browser has open are compiled and written first, all pages
after them and with low priority. No page of the site is imported at the top: each compilation runs in a process of its own
that is forked from this one, so it sees the files as they are now, and finds the libraries loaded.
"""

import importlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from traceback import extract_tb

from watchfiles import watch

from agency_site.web.reflex_internals.partial_compilation import (
    compile_all,
    compile_group,
    load_app,
    work_folder,
)

_LIBRARIES = (
    "fastapi", "fpdf", "holidays", "httpx", "icalendar", "jinja2", "limits", "markdown_it", "phonenumbers", "pydantic_settings",
    "redis.asyncio", "reflex.app", "sqlmodel",
)  # fmt: skip
"""Slow imports that do not change. An import that is missing here is only repeated at every compilation."""
_WATCHED = ("agency_site", "assets", "rxconfig.py")
_OPEN_PAGES = "open_pages.json"
"""File in Reflex's work folder, written by `open_pages.js`: routes, spelled as in names of modules, newest first."""
_FAILURE = "failed_compilation.json"
"""File beside Reflex's work folder with the error. Inside it, Tailwind would read it and its new styles close the overlay."""
_PACKAGE = "agency_site"
_NICENESS = 10


def main() -> None:
    """Compile after every change until interrupted. A change during a compilation ends it and begins the next."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    _find_failure().unlink(missing_ok=True)
    fork = multiprocessing.get_context("fork")
    compilation: BaseProcess | None = None
    for _changes in watch(*_WATCHED, debounce=400, step=50, raise_interrupt=False):
        if compilation is not None:
            compilation.kill()
            compilation.join()
        compilation = fork.Process(target=_compile_site, daemon=True)
        compilation.start()


def _compile_site() -> None:
    failure = _find_failure()
    try:
        _compile_changes()
    except Exception as error:
        # Vite shows it over the open page (`open_pages.js`); a half-written file would end Vite.
        unfinished = failure.with_suffix(".part")
        unfinished.write_text(json.dumps(describe_failure(error)))
        unfinished.replace(failure)
        raise


def _find_failure() -> Path:
    return work_folder().absolute().parent / _FAILURE


def describe_failure(error: Exception) -> dict[str, str]:
    """Return an error for Vite's overlay: its message, and the file and line in our own code."""
    frames = [frame for frame in extract_tb(error.__traceback__) if f"{_PACKAGE}{os.sep}" in frame.filename]
    places = [f"{frame.filename}:{frame.lineno}" for frame in reversed(frames)]
    if isinstance(error, SyntaxError):
        places.insert(0, f"{error.filename}:{error.lineno}")
    message = f"{type(error).__name__}: {error}"
    return {"message": message, "id": next(iter(places), ""), "stack": "\n".join((message, *places))}


def _compile_changes() -> None:
    with _report_time("Pages"):
        app = load_app()
        compile_group(app, _open_routes())
    _find_failure().unlink(missing_ok=True)
    os.nice(_NICENESS)
    with _report_time("All pages"), Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        compile_all(app)


def _open_routes() -> list[str]:
    with suppress(FileNotFoundError):
        return list(json.loads((work_folder() / _OPEN_PAGES).read_text()))
    return []


@contextmanager
def _report_time(name: str) -> Iterator[None]:
    started_at = time.monotonic()
    yield
    print(f"  {name} compiled ({time.monotonic() - started_at:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
