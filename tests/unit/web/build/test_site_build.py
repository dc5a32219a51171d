"""The build runs only if something has changed, and its failures are reported."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agency_site.web.build import site_build
from agency_site.web.build.site_build import BuildFailed


def test_the_fingerprint_follows_what_the_site_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agency_site").mkdir()
    page = tmp_path / "agency_site" / "page.py"
    page.write_text("one")
    monkeypatch.setattr(site_build, "ROOT", tmp_path)
    monkeypatch.setattr(site_build, "_SOURCES", ("agency_site",))
    first = site_build.fingerprint()
    assert site_build.fingerprint() == first
    (tmp_path / "agency_site" / "__pycache__").mkdir()
    (tmp_path / "agency_site" / "__pycache__" / "page.pyc").write_bytes(b"cache")
    assert site_build.fingerprint() == first
    page.write_text("two")
    assert site_build.fingerprint() != first


def test_a_lock_file_in_another_order_is_put_back_and_a_changed_one_is_kept(tmp_path: Path) -> None:
    lock = tmp_path / "package.json"
    lock.write_text('{"a": 1, "b": 2}')
    with site_build.keep_order(lock):
        lock.write_text('{"b": 2, "a": 1}')
    assert lock.read_text() == '{"a": 1, "b": 2}'
    with site_build.keep_order(lock):
        lock.write_text('{"a": 1, "b": 3}')
    assert lock.read_text() == '{"a": 1, "b": 3}'


def test_after_a_failed_build_everything_generated_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted installation leaves Reflex's note that the packages are there, and no packages."""
    web, log = tmp_path / ".web", tmp_path / ".build" / "build.log"
    web.mkdir()
    (web / "reflex.install_frontend_packages.cached").touch()
    log.parent.mkdir()
    results: list[bool] = []

    def compiled(_report: object, _stages: object) -> bool:
        log.write_text("sh: 1: react-router: not found")
        results.append(web.exists())
        return len(results) == 2

    for name, value in {
        "ROOT": tmp_path,
        "COMPILED": web,
        "STAMP": log.parent / "stamp",
        "LOG": log,
        "_compile": compiled,
    }.items():
        monkeypatch.setattr(site_build, name, value)
    assert site_build.ensure_built()
    assert results == [True, False]


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site of one page whose build is in `tmp_path`; the test decides the result of compiling."""
    (tmp_path / "agency_site").mkdir()
    (tmp_path / ".build").mkdir()
    (tmp_path / ".web" / "node_modules").mkdir(parents=True)
    page = tmp_path / "agency_site" / "page.py"
    page.write_text("Xanadu")
    for name, value in {
        "ROOT": tmp_path,
        "COMPILED": tmp_path / ".web",
        "BUILD": tmp_path / ".web",
        "STAMP": tmp_path / ".build" / "stamp",
        "LOG": tmp_path / ".build" / "build.log",
        "_SOURCES": ("agency_site",),
    }.items():
        monkeypatch.setattr(site_build, name, value)
    return page


def test_a_change_that_is_saved_while_the_site_is_compiled_is_compiled_by_the_next_start(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def compile_and_edit(_report: object, _stages: object) -> bool:
        seen.append(sources.read_text())
        (tmp_path / ".web" / "index.html").write_text(seen[-1])
        sources.write_text("Yatta")
        return True

    monkeypatch.setattr(site_build, "_compile", compile_and_edit)
    assert [site_build.ensure_built() for _ in range(3)] == [True, True, False]
    assert seen == ["Xanadu", "Yatta"]


def run_in_place_of_stages(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Have each stage of the build run `code` instead."""

    def start(_module: str, stage: str, *, environment: Any, output: Any) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-c", code, stage],
            env=environment, cwd=vars(site_build)["ROOT"], stdout=output, stderr=output, process_group=0,
        )  # fmt: skip

    monkeypatch.setattr(site_build, "start_child", start)


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os; os.kill(os.getpid(), 9)", "Memory ran out"),
        ("print('FATAL ERROR: JavaScript heap out of memory'); raise SystemExit(1)", "Memory ran out"),
        (
            "print('npm silly x\\nnpm error code SELF_SIGNED_CERT\\nmore'); raise SystemExit(1)",
            "npm error code SELF",
        ),
        ("raise SystemError('broken page')", "SystemError: broken page"),
    ],
)
def test_a_build_that_cannot_succeed_ends_at_once_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    run_in_place_of_stages(monkeypatch, f"open('attempts', 'a').write('x'); {code}")
    with pytest.raises(BuildFailed, match=reason):
        site_build.ensure_built()
    assert (tmp_path / "attempts").read_text() == "x"


TIMED_OUT_TWICE = """
import sys
from pathlib import Path
with open("stages", "a") as stages:
    stages.write(sys.argv[1] + "\\n")
if sys.argv[1] == "bundle" and Path("stages").read_text().count("bundle") < 3:
    sys.exit("Error: Prerender: Request failed for /: The operation was aborted due to timeout")
Path(".web/index.html").touch()
"""


@pytest.mark.usefixtures("sources")
def test_after_a_timeout_only_prerendering_is_repeated_and_each_attempt_keeps_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "requirements.txt").touch()
    monkeypatch.setattr(site_build, "_BUNDLED", tmp_path / ".web" / "digest")
    monkeypatch.setattr(site_build, "server_drawn_sources", list)
    run_in_place_of_stages(monkeypatch, TIMED_OUT_TWICE)
    assert site_build.ensure_built()
    assert (tmp_path / "stages").read_text().split() == ["pages", "bundle", "bundle", "bundle"]
    lines = capsys.readouterr().out
    for attempt in (1, 2):
        assert f"Attempt {attempt} failed: prerendering timed out." in lines
        assert "aborted due to timeout" in (tmp_path / ".build" / f"build.log.{attempt}").read_text()


WRITTEN_IN_PART = """
import sys
from pathlib import Path
if Path(".web/part").exists():
    raise RuntimeError("Plugin X is trying to modify 'entry.client.js' but it does not exist")
Path(".web").mkdir(exist_ok=True)
Path(".web/index.html").touch()
"""


@pytest.mark.usefixtures("sources")
def test_a_folder_that_a_killed_process_has_written_in_part_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "requirements.txt").touch()
    monkeypatch.setattr(site_build, "_BUNDLED", tmp_path / ".web" / "digest")
    monkeypatch.setattr(site_build, "server_drawn_sources", list)
    run_in_place_of_stages(monkeypatch, WRITTEN_IN_PART)
    (tmp_path / ".web" / "part").touch()
    assert site_build.ensure_built()
    assert not (tmp_path / ".web" / "part").exists()


TIMED_REQUEST = """
import subprocess
script = "const signal = AbortSignal.timeout(1); setTimeout(() => process.exit(signal.aborted ? 1 : 0), 500)"
raise SystemExit(subprocess.run(["node", "-e", script]).returncode)
"""


@pytest.mark.usefixtures("sources")
def test_a_busy_machine_has_more_time_for_a_page_than_react_router_gives_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_in_place_of_stages(monkeypatch, TIMED_REQUEST)
    assert site_build._run_stage("bundle", print) == 0


def test_pages_are_bundled_again_only_if_they_or_what_tailwind_reads_have_changed(
    tmp_path: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A corrected back end compiles to the same pages."""
    web, drawn = tmp_path / ".web", tmp_path / "view.py"
    (tmp_path / "requirements.txt").touch()
    drawn.write_text("class_name='wide'")
    stages: list[str] = []

    def run_stage(stage: str, _report: object) -> int:
        stages.append(stage)
        if stage == "bundle":
            (web / "build").mkdir(exist_ok=True)
            (web / "build" / "index.html").touch()
        elif sources.read_text() != "corrected query":
            (web / "app").mkdir(exist_ok=True)
            (web / "app" / "page.jsx").write_text(sources.read_text())
        return 0

    for name, value in {
        "_run_stage": run_stage,
        "BUILD": web / "build",
        "_BUNDLED": web / "build" / "digest",
        "server_drawn_sources": lambda: [str(drawn)],
    }.items():
        monkeypatch.setattr(site_build, name, value)
    assert site_build.ensure_built()
    assert stages == ["pages", "bundle"]
    sources.write_text("corrected query")
    assert site_build.ensure_built()
    assert stages[2:] == ["pages"]
    sources.write_text("Yatta")
    assert site_build.ensure_built()
    assert stages[3:] == ["pages", "bundle"]
    drawn.write_text("class_name='narrow'")
    sources.write_text("corrected query")
    assert site_build.ensure_built()
    assert stages[5:] == ["pages", "bundle"]
