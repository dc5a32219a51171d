"""The units of `deploy/systemd/`: accepted by systemd, with settings that exist, and restarted whatever ends them."""

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agency_site.settings import ROOT, Settings, variable
from agency_site.web.serving.shutdown import STOP_SECONDS

FOLDER = ROOT / "deploy" / "systemd"
README = (ROOT / "deploy" / "README.md").read_text()
UNITS = sorted(path.name for path in FOLDER.glob("agency-site*"))
VARIABLES = {variable(name) for name in Settings.model_fields}


class Unit(configparser.RawConfigParser):
    """One unit; a key that occurs again adds a line."""

    def __init__(self, name: str) -> None:
        super().__init__(strict=False, dict_type=_Lines, delimiters=("=",), comment_prefixes=("#",))
        self.read(FOLDER / name)

    def optionxform(self, optionstr: str) -> str:
        return optionstr


class _Lines(dict):  # type: ignore[type-arg]
    def __setitem__(self, key: str, value: object) -> None:
        if isinstance(value, list) and isinstance(self.get(key), list):
            self[key].extend(value)
            return
        super().__setitem__(key, value)


def settings_of(name: str) -> dict[str, str]:
    text = " ".join(re.findall(r"^Environment=(.+)$", (FOLDER / name).read_text(), re.MULTILINE))
    return dict(part.split("=", 1) for part in text.split())


SERVER = Unit("agency-site@.service")["Service"]


def test_the_units_are_those_of_the_procedure() -> None:
    assert UNITS == [
        "agency-site-backup.service",
        "agency-site-backup.timer",
        "agency-site-migrate.service",
        "agency-site@.service",
    ]
    for part in (
        "agency-site-migrate agency-site@3001 agency-site@3002 agency-site-backup.timer",
        "site.env.example",
    ):
        assert part in README


@pytest.mark.parametrize("name", UNITS)
def test_systemd_accepts_a_unit(name: str, tmp_path: Path) -> None:
    binary = shutil.which("systemd-analyze")
    if not binary:
        pytest.skip("systemd is not installed")
    # Its programs are those of another machine.
    text = (FOLDER / name).read_text().replace("/srv/agency-site/current/.venv/bin/python", sys.executable)
    unit = tmp_path / name.replace("@.", "@3001.")
    unit.write_text(text)
    if name.endswith(".timer"):
        (tmp_path / "agency-site-backup.service").write_text("[Service]\nExecStart=/bin/true\n")
    done = subprocess.run([binary, "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_server_is_started_again_and_has_time_to_finish() -> None:
    assert (SERVER["Restart"], SERVER["KillMode"]) == ("always", "mixed")
    assert Unit("agency-site@.service")["Unit"]["StartLimitIntervalSec"] == "0"
    drain = float(settings_of("agency-site@.service")["AGENCY_DRAIN_SECONDS"])
    assert int(SERVER["TimeoutStopSec"]) >= drain + STOP_SECONDS + 1


def test_a_server_runs_in_the_folder_of_its_release_whatever_the_link_says_later(tmp_path: Path) -> None:
    release = tmp_path / "1.0"
    (release / ".venv" / "bin").mkdir(parents=True)
    program = release / ".venv" / "bin" / "python"
    program.write_text("#!/bin/sh\necho $0 $PWD\n")
    program.chmod(0o755)
    (tmp_path / "current").symlink_to(release)
    # systemd writes one dollar for two.
    command = SERVER["ExecStart"].removeprefix("/bin/sh -c ").replace("$$", "$")
    done = subprocess.run(
        f"sh -c {command}", shell=True, cwd=tmp_path / "current", capture_output=True, text=True
    )
    assert done.stdout.split() == [str(program), str(release)], done.stderr


@pytest.mark.parametrize("name", [name for name in UNITS if name.endswith(".service")])
def test_every_setting_of_a_unit_exists_and_it_runs_without_rights(name: str) -> None:
    service = Unit(name)["Service"]
    ours = {each for each in settings_of(name) if each.startswith("AGENCY_")}
    assert ours <= VARIABLES
    assert (service["User"], service["NoNewPrivileges"], service["ProtectSystem"]) == (
        "agency",
        "true",
        "strict",
    )
    assert service["CapabilityBoundingSet"] == ""
    assert service["EnvironmentFile"] == "/etc/agency-site/site.env"


def test_the_example_of_settings_names_settings() -> None:
    names = re.findall(r"^(\w+)=", (FOLDER / "site.env.example").read_text(), re.MULTILINE)
    assert set(names) <= VARIABLES


def test_the_caddy_of_debian_accepts_the_file_that_the_procedure_writes(tmp_path: Path) -> None:
    binary = shutil.which("caddy")
    if not binary:
        pytest.skip("Caddy is not installed")
    version = subprocess.run([binary, "version"], check=True, capture_output=True, text=True).stdout
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    (command,) = re.findall(r"^ *(sed '[^']+request_buffers[^']+') deploy/Caddyfile", README, re.MULTILINE)
    if version.lstrip("v").startswith("2.6."):
        text = subprocess.run(
            ["sh", "-c", command], input=text, capture_output=True, text=True, check=True
        ).stdout
    (tmp_path / "Caddyfile").write_text(text)
    order: list[str | Path] = [
        binary,
        "validate",
        "--config",
        tmp_path / "Caddyfile",
        "--adapter",
        "caddyfile",
    ]
    done = subprocess.run(order, capture_output=True, text=True, check=False, env={"HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
