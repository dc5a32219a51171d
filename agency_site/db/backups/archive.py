"""One backup as one file: a compressed tar of manifest, dump and journal, encrypted by age for public keys.

A file that was read without an error is complete and unchanged: age authenticates every byte, and the checksum of gzip covers
files that are not encrypted.
"""

import gzip
import os
import re
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agency_site.db.backups.errors import BackupError

_AGE_HEADER = b"age-encryption.org/"
_LEVEL = 3
"""The level of gzip: twice as fast as the default, for a tenth more bytes."""
_MEMBER = re.compile(r"(manifest\.json|database|journal/[\w.-]+\.json)")


@dataclass(frozen=True)
class Key:
    """The private key that decrypts a backup: in a file, or in memory only."""

    file: Path | None = None
    secret: str = ""


def program(name: str, package: str) -> str:
    """Return the path of a program, or raise BackupError if it is not installed."""
    path = shutil.which(name)
    if not path:
        raise BackupError(f"{name} is not installed. On Debian: apt-get install {package}")
    return path


def make_temporary_key() -> tuple[str, Key]:
    """Return the public and the private part of a new key that is never stored."""
    printed = subprocess.run(
        [program("age-keygen", "age")], check=True, capture_output=True, text=True
    ).stdout
    public = re.search(r"public key: (age1\w+)", printed)
    assert public
    return public[1], Key(secret=printed)


def write_archive(target: Path, folder: Path, recipients: Sequence[str]) -> None:
    """Pack the files of `folder` into the new file `target`, encrypted unless there are no `recipients`."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        with (
            _encrypted(file, recipients) as sink,
            gzip.GzipFile(fileobj=sink, mode="wb", compresslevel=_LEVEL) as packed,
            tarfile.open(fileobj=packed, mode="w|") as tar,
        ):
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                tar.add(path, arcname=str(path.relative_to(folder)))
        os.fsync(file.fileno())


@contextmanager
def _encrypted(file: IO[bytes], recipients: Sequence[str]) -> Iterator[IO[bytes]]:
    if not recipients:
        yield file
        return
    options = [part for recipient in recipients for part in ("-r", recipient)]
    command = [program("age", "age"), "--encrypt", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file, stderr=subprocess.PIPE) as age:
        assert age.stdin
        try:
            yield age.stdin
            age.stdin.close()
        except OSError as error:
            raise BackupError(f"age does not encrypt: {_read_reason(age)}") from error
    if age.returncode:
        raise BackupError("age does not encrypt the backup.")


def read_archive(source: Path, folder: Path, key: Key | None) -> None:
    """Unpack `source` into `folder`. Raises BackupError unless every byte of it is as it was written."""
    try:
        with _decrypted(source, key) as file, gzip.GzipFile(fileobj=file) as packed:
            with tarfile.open(fileobj=packed, mode="r|") as tar:
                for member in tar:
                    _unpack(tar, member, folder)
            # Gzip compares the checksum at the end of the file only.
            while packed.read(1 << 20):
                pass
    except (EOFError, gzip.BadGzipFile, zlib.error, tarfile.TarError) as error:
        raise BackupError(f"{source.name} is damaged: {error}") from error


def _unpack(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    content = tar.extractfile(member)
    if content is None or not _MEMBER.fullmatch(member.name):
        raise BackupError(f"This is no backup of the site: it contains {member.name!r}.")
    path = folder / member.name
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, 1 << 20)


@contextmanager
def _decrypted(source: Path, key: Key | None) -> Iterator[IO[bytes]]:
    with source.open("rb") as file:
        encrypted = file.read(len(_AGE_HEADER)) == _AGE_HEADER
        file.seek(0)
        if not encrypted:
            yield file
            return
    if key is None:
        raise BackupError(f"{source.name} is encrypted. Name the file of its private key: IDENTITY=key.txt")
    command = [program("age", "age"), "--decrypt", "-i", str(key.file or "-"), str(source)]
    age = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert age.stdin
    assert age.stdout
    with age:
        age.stdin.write(key.secret.encode())
        age.stdin.close()
        failed: Exception | None = None
        try:
            yield age.stdout
        except (EOFError, OSError, zlib.error, tarfile.TarError) as error:
            # The message of age names the cause; this error only follows from it.
            failed = error
        age.stdout.close()
        reason = _read_reason(age)
    if age.returncode and "broken pipe" not in reason:
        raise BackupError(f"{source.name} cannot be decrypted: {reason}")
    if failed:
        raise failed


def _read_reason(age: subprocess.Popen[bytes]) -> str:
    assert age.stderr
    lines = [line for line in age.stderr.read().decode(errors="replace").splitlines() if "report" not in line]
    return (lines or [""])[0].removeprefix("age: ").removeprefix("error: ")
