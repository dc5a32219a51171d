"""Contract of `partial_compilation.py`: one page is compiled with its parts."""

import os
import subprocess
import sys
from pathlib import Path

from agency_site.settings import ROOT
from tests.unit.web.reflex_internals.contract import contract, parameters

COMPILE = """
from agency_site.web.reflex_internals.partial_compilation import compile_group, load_app, work_folder
assert str(work_folder()) == {folder!r}
compile_group(load_app(), ["[about]._index.jsx"])
"""


def test_one_page_is_written_with_its_parts_and_no_other(tmp_path: Path) -> None:
    environment = {**os.environ, "REFLEX_WEB_WORKDIR": str(tmp_path)}
    command = [sys.executable, "-c", COMPILE.format(folder=str(tmp_path))]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, stderr=subprocess.PIPE, text=True)
    with contract("some pages can be compiled alone"):
        assert done.returncode == 0, done.stderr.strip().rpartition("\n")[2]
        assert [path.name for path in (tmp_path / "app" / "routes").iterdir()] == ["[about]._index.jsx"]
        parts = tmp_path / "app_components" / "agency_site" / "site" / "about.jsx"
        assert "export const Hydrationmarker" in parts.read_text()


def test_all_pages_are_compiled_by_the_app() -> None:
    with contract("an app compiles all of its pages"):
        import reflex as rx

        assert "use_rich" in parameters(rx.App._compile)
