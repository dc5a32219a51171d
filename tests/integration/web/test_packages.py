"""Locked packages are installed where uv cannot be had, and refused if they differ from what is locked."""

import hashlib
import os
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest

from agency_site.settings import ROOT


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter of an empty environment."""
    venv.create(tmp_path / "environment", with_pip=True)
    return tmp_path / "environment" / "bin" / "python"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A package, the only one of the index."""
    path = tmp_path / "wheels" / "parcel-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("parcel.py", "WORDS = 'installed'")
        archive.writestr(
            "parcel-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n"
        )
        archive.writestr(
            "parcel-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("parcel-1.0.dist-info/RECORD", "")
    return path


def install(python: Path, wheel: Path, digest: str) -> subprocess.CompletedProcess[str]:
    """Install the package of the index, which has no other."""
    requirements = wheel.with_name("requirements.txt")
    requirements.write_text(f"parcel==1.0 --hash=sha256:{digest}\n")
    return subprocess.run(
        [python, "-m", "agency_site.web.build.packages", requirements],
        cwd=ROOT,
        env={
            **os.environ,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(wheel.parent),
            "PIP_CONFIG_FILE": os.devnull,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_pip_installs_what_is_locked_and_nothing_else_where_uv_cannot_be_had(
    python: Path, wheel: Path
) -> None:
    refused = install(python, wheel, hashlib.sha256(b"another file").hexdigest())
    assert refused.returncode == 1
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in refused.stderr
    assert str(ROOT / ".build" / "packages.log") in refused.stderr
    done = install(python, wheel, hashlib.sha256(wheel.read_bytes()).hexdigest())
    assert done.returncode == 0, done.stderr
    assert "ready" in done.stdout
    words = subprocess.check_output([python, "-c", "import parcel; print(parcel.WORDS)"], text=True)
    assert words == "installed\n"
