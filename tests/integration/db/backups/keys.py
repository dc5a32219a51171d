"""Keys of age, as an operator makes them."""

import subprocess
from pathlib import Path

from agency_site.db.backups.archive import Key
from tests.servers import missing, program


def make_key(folder: Path, name: str = "key.txt") -> tuple[str, Key]:
    """Make a key; return its public part, and the private one in a file of `folder`."""
    binary = program("age-keygen", "age") or missing("age")
    file = folder / name
    subprocess.run([binary, "-o", file], check=True, capture_output=True)
    public = subprocess.run([binary, "-y", file], check=True, capture_output=True, text=True).stdout.strip()
    return public, Key(file=file)
