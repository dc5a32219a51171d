"""The settings file of the units means to every command what it means to systemd."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.settings import ROOT, SettingsRefused, load_settings, settings
from agency_site.settings.environment_file import VARIABLE, parse_environment
from tests.servers import bare_environment

GENERATOR = Path("/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator")
"""The program of systemd that reads the same syntax; it expands `$` too, which an EnvironmentFile does not."""


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=smtp pw&x;y", "smtp pw&x;y"),
        ("A=postgresql+psycopg://a@b/c?host=1&port=2", "postgresql+psycopg://a@b/c?host=1&port=2"),
        ("A=Agency <a@b.c>", "Agency <a@b.c>"),
        ("A=pa$$word ${HOME} `id` $(id)", "pa$$word ${HOME} `id` $(id)"),
        ("A=one # two", "one # two"),
        ("A=#1", "#1"),
        ('A=it\'s "so"', 'it\'s "so"'),
        ("A='a \"b\" \\c'", 'a "b" \\c'),
        ('A="a \\"b\\" \\n \\$ \\`"', 'a "b" \\n $ `'),
        ("A='it'\\''s'", "it''s'"),
        ("A='x' 'y'z", "xyz"),
        ("A= spaces around \t", "spaces around"),
        ("A=kept\\ ", "kept "),
        ("A=C:\\\\dir\\x", "C:\\dirx"),
        ("A=one\\\ntwo", "onetwo"),
        ('A="one\ntwo"', "one\ntwo"),
        ("A=", ""),
        ("A = 1", "1"),
        ("A=1\nA=2", "2"),
        ("A=1\n#A=2\n;A=3", "1"),
        ("# a comment \\\nA=2\nA=1", "1"),
        ("export A=2\nA=1", "1"),
        ("A=Zoë", "Zoë"),
    ],
)
def test_a_line_means_what_it_means_to_systemd(line: str, value: str) -> None:
    assert parse_environment(f"{line}\nB=end") == {"A": value, "B": "end"}


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    parse_environment(text)


def test_systemd_itself_reads_hostile_values_alike(tmp_path: Path) -> None:
    if not GENERATOR.exists():
        pytest.skip("systemd is not installed")
    lines = [
        "A=smtp pw&x;y",
        "B=Agency <a@b.c>",
        "C=one # two",
        "D='a b' c",
        'E="q \\" \\x"',
        "F=a\\ b\\",
        "=G",
        "H=|(!)%",
    ]
    (tmp_path / "environment.d").mkdir()
    (tmp_path / "environment.d" / "site.conf").write_text("\n".join(lines))
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    output = subprocess.run([GENERATOR], env=environment, capture_output=True, text=True, check=True).stdout
    # It writes values as a shell reads them.
    script = (
        f"set -a\n{output}\nexec {sys.executable} -c 'import json, os; print(json.dumps(dict(os.environ)))'"
    )
    printed = subprocess.run(["sh", "-c", script], env={}, capture_output=True, text=True, check=True).stdout
    values = parse_environment("\n".join(lines))
    assert values.items() <= json.loads(printed).items()
    assert sorted(values) == ["A", "B", "C", "D", "E", "F", "H"]


_SHOW = """
from agency_site.settings import describe_unknown, load_settings
now = load_settings()
print(now.smtp_password.get_secret_value(), now.mail_from, now.smtp_host, now.port, describe_unknown(), sep="|")
"""


def test_every_command_reads_the_file_that_make_names_and_its_environment_takes_precedence(
    tmp_path: Path,
) -> None:
    file = tmp_path / "site.env"
    file.write_text(
        "AGENCY_SMTP_PASSWORD=smtp pw&x;y $(id)\nAGENCY_MAIL_FROM=Agency <a@b.c>\nAGENCY_SMTP_HOST=a.example\nPORT=4321\n"
    )
    environment = bare_environment() | {"AGENCY_SMTP_HOST": "b.example", "SHOW": _SHOW}
    makefile = tmp_path / "Makefile"
    makefile.write_text(f'include {ROOT}/Makefile\nshow:\n\t@{sys.executable} -c "$$SHOW"\n')
    order: list[str | Path] = ["make", "--no-print-directory", "-f", makefile, "show", f"SETTINGS={file}"]
    done = subprocess.run(order, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "smtp pw&x;y $(id)|Agency <a@b.c>|b.example|4321|[]\n"


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file or directory"), (b"A=\xff", "it is not UTF-8")]
)
def test_a_file_that_cannot_be_read_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None, reason: str
) -> None:
    file = tmp_path / "site.env"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv(VARIABLE, str(file))
    settings.cache_clear()
    with pytest.raises(SettingsRefused, match=f"{VARIABLE} {file} cannot be read: {reason}"):
        load_settings()
