"""A start shows which step it is at: one moving line on a terminal, plain lines in a log."""

import os
import pty
import re
import subprocess
import sys

import pytest

from agency_site.settings import ROOT
from agency_site.web.progress import report_step


def test_a_log_has_a_plain_line_for_each_thing_that_a_step_waits_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with report_step("Site") as report:
        report("pages")
        report("bundle")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:-1] == ["  Site ...", "  Site: pages ...", "  Site: bundle ..."]
    assert re.fullmatch(r"  Site ready \(\d\.\d s\)", lines[-1])


def test_a_step_that_fails_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), report_step("Site"):
        raise KeyError
    assert capsys.readouterr().out.splitlines()[-1].startswith("  Site failed")


MOVED = r"  Site: pages \.\.\. [1-9]\d* s"
STEP = """
from agency_site.web.progress import report_step
with report_step("Site") as report:
    report("pages")
    input()
"""


def test_on_a_terminal_one_line_moves() -> None:
    reader, terminal = pty.openpty()
    output = ""
    with subprocess.Popen(
        [sys.executable, "-c", STEP], cwd=ROOT, stdin=subprocess.PIPE, stdout=terminal, text=True
    ) as process:
        while not re.search(MOVED, output):
            output += os.read(reader, 4096).decode()
        process.communicate("\n")
    output += os.read(reader, 4096).decode()
    os.close(terminal)
    os.close(reader)
    states = output.split("\r\033[K")
    assert states[1:3] == ["  Site ...", "  Site: pages ..."]
    assert re.fullmatch(r"  Site ready \(\d\.\d s\)\r?\n", states[-1])
    assert output.count("\n") == 1
