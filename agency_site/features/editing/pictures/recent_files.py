"""The files of pictures that this process has served lately: a page asks for the same few again and again."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agency_site.features.editing.pictures.forms import PictureForm

_MOST_BYTES = 32 * 1024 * 1024
_SECONDS = 60.0
"""After this time a file is read again: it may have been deleted, or cropped otherwise, through another process."""


@dataclass(frozen=True)
class ServedFile:
    """A file with the tag of its content."""

    form: PictureForm
    etag: str
    until: float
    """The moment from which it is read again, by the monotonic clock."""


class RecentFiles:
    """A cache of limited size, which drops what was not requested for the longest time."""

    def __init__(self, most_bytes: int = _MOST_BYTES, seconds: float = _SECONDS) -> None:
        self._most_bytes, self._seconds = most_bytes, seconds
        self._files: OrderedDict[str, ServedFile] = OrderedDict()
        self._bytes = 0

    async def read(self, key: str, load: Callable[[], Awaitable[PictureForm]]) -> ServedFile:
        """Return the file of that key; `load` reads it if it is not in the cache. Raises what `load` raises."""
        file = self._files.get(key)
        if file and time.monotonic() < file.until:
            self._files.move_to_end(key)
            return file
        self._drop(key)
        form = await load()
        etag = f'"{hashlib.sha256(form.body).hexdigest()[:20]}"'
        file = ServedFile(form, etag, time.monotonic() + self._seconds)
        self._keep(key, file)
        return file

    def clear(self) -> None:
        """Forget all files."""
        self._files.clear()
        self._bytes = 0

    def _keep(self, key: str, file: ServedFile) -> None:
        self._drop(key)
        self._files[key] = file
        self._bytes += len(file.form.body)
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._files)))

    def _drop(self, key: str) -> None:
        if dropped := self._files.pop(key, None):
            self._bytes -= len(dropped.form.body)
