"""Pages that a browser has open are compiled before all others."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import reflex as rx
from reflex.utils.frontend_skeleton import _compile_vite_config

from agency_site.settings import ROOT
from agency_site.web.build import recompile
from agency_site.web.build.plugin import _use_open_pages
from agency_site.web.build.recompile import describe_failure

COMPILE = """
from agency_site.agency_site import app
from agency_site.web.build.recompile import _compile_group, _open_routes
_compile_group(app, _open_routes())
"""


class Compiling:
    """An app all of whose pages compile."""

    def _compile(self, **_options: object) -> None:
        pass


def test_the_open_page_is_written_with_its_parts_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "open_pages.json").write_text(json.dumps(["[about]._index.jsx"]))
    environment = {**os.environ, "REFLEX_WEB_WORKDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", COMPILE], cwd=ROOT, env=environment, check=True)
    assert [path.name for path in (tmp_path / "app" / "routes").iterdir()] == ["[about]._index.jsx"]
    parts = tmp_path / "app_components" / "agency_site" / "site" / "about.jsx"
    assert "export const Hydrationmarker" in parts.read_text()


def test_the_development_server_notes_which_pages_are_open() -> None:
    made = _use_open_pages(_compile_vite_config(rx.Config(app_name="agency_site")))
    assert made.startswith('import openPages from "./open_pages.js";')
    assert made.count("openPages(),") == 1
    assert _use_open_pages(made) == made


def test_a_failure_is_a_file_outside_what_tailwind_reads_until_pages_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "dev"
    work.mkdir()
    monkeypatch.setattr("reflex.utils.prerequisites.get_web_dir", lambda: work)

    def fail() -> None:
        raise ValueError("no such icon")

    monkeypatch.setattr(recompile, "_compile_changes", fail)
    written: list[str] = []

    def note_and_write(path: Path, text: str) -> None:
        written.append(path.name)
        path.write_bytes(text.encode())

    monkeypatch.setattr(Path, "write_text", note_and_write)
    with pytest.raises(ValueError, match="icon"):
        recompile._compile_site()
    # Vite ends when it reads half a file.
    assert written == ["failed_compilation.part"]
    failure = tmp_path / "failed_compilation.json"
    assert json.loads(failure.read_text())["message"] == "ValueError: no such icon"
    assert [*work.iterdir()] == []
    monkeypatch.undo()
    monkeypatch.setattr("reflex.utils.prerequisites.get_web_dir", lambda: work)
    monkeypatch.setattr("reflex.utils.prerequisites.get_app", lambda: SimpleNamespace(app=Compiling()))
    monkeypatch.setattr(recompile, "_compile_group", lambda *_: None)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    recompile._compile_changes()
    assert not failure.exists()
    assert "../failed_compilation.json" in (ROOT / "agency_site/web/build/open_pages.js").read_text()


def test_an_unknown_configuration_of_vite_stops_the_build() -> None:
    with pytest.raises(RuntimeError, match=r"vite\.config\.js"):
        _use_open_pages("export default {}")


def test_a_failure_names_message_file_and_line_for_the_browser(tmp_path: Path) -> None:
    page = tmp_path / "agency_site" / "page.py"
    page.parent.mkdir()
    page.write_text("\n\nraise LookupError('no such icon')\n")
    with pytest.raises(LookupError) as failed:
        exec(compile(page.read_text(), str(page), "exec"), {})
    shown = describe_failure(failed.value)
    assert (shown["message"], shown["id"]) == ("LookupError: no such icon", f"{page}:3")
    with pytest.raises(SyntaxError) as broken:
        compile("x = = 1", str(page), "exec")
    assert describe_failure(broken.value)["id"] == f"{page}:1"
