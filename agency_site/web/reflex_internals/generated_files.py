"""Patches of files that Reflex generates: a replacement that stops the build when the replaced text is not there."""

from pathlib import Path

UPGRADE_GUIDE = "docs/upgrading-reflex.md"


class ReflexHasChanged(RuntimeError):
    """A file that Reflex generates is not what its patch expects."""

    def __init__(self, file: str, consequence: str) -> None:
        """`consequence` says what would happen without the patch."""
        super().__init__(f"Reflex has changed: {file}: {consequence}; see {UPGRADE_GUIDE}")


def replace_once(source: str, old: str, new: str, file: str | Path, consequence: str) -> str:
    """`source` with `new` in the place of `old`; unchanged if it is patched already. Raises ReflexHasChanged."""
    if new in source:
        return source
    if source.count(old) != 1:
        raise ReflexHasChanged(str(file), consequence)
    return source.replace(old, new)
