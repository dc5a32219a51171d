"""Pages that a browser has open are compiled before all others."""

import json
import os
from pathlib import Path

import pytest

from agency_site.settings import ROOT
from agency_site.web.build import recompile
from agency_site.web.build.recompile import describe_failure


def test_a_failure_is_a_file_outside_what_tailwind_reads_until_pages_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "dev"
    work.mkdir()
    monkeypatch.setattr("agency_site.web.build.recompile.work_folder", lambda: work)

    def fail() -> None:
        raise ValueError("no such icon")

    monkeypatch.setattr(recompile, "_compile_changes", fail)
    groups: list[str] = []

    def note_and_write(path: Path, text: str) -> None:
        groups.append(path.name)
        path.write_bytes(text.encode())

    monkeypatch.setattr(Path, "write_text", note_and_write)
    with pytest.raises(ValueError, match="icon"):
        recompile._compile_site()
    # Vite ends when it reads half a file.
    assert groups == ["failed_compilation.part"]
    failure = tmp_path / "failed_compilation.json"
    assert json.loads(failure.read_text())["message"] == "ValueError: no such icon"
    assert [*work.iterdir()] == []
    monkeypatch.undo()
    monkeypatch.setattr("agency_site.web.build.recompile.work_folder", lambda: work)
    for name in ("load_app", "compile_group", "compile_all"):
        monkeypatch.setattr(recompile, name, lambda *_: None)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    recompile._compile_changes()
    assert not failure.exists()
    assert (
        "../failed_compilation.json" in (ROOT / "agency_site/web/reflex_internals/open_pages.js").read_text()
    )


def test_a_failure_names_message_file_and_line_for_the_browser(tmp_path: Path) -> None:
    page = tmp_path / "agency_site" / "page.py"
    page.parent.mkdir()
    page.write_text("\n\nraise LookupError('no such icon')\n")
    with pytest.raises(LookupError) as failed:
        exec(compile(page.read_text(), str(page), "exec"), {})
    overlay = describe_failure(failed.value)
    assert (overlay["message"], overlay["id"]) == ("LookupError: no such icon", f"{page}:3")
    with pytest.raises(SyntaxError) as broken:
        compile("x = = 1", str(page), "exec")
    assert describe_failure(broken.value)["id"] == f"{page}:1"
