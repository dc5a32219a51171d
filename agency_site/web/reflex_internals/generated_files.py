"""Patches of files that Reflex generates. A patch stops the build if the text to replace is missing."""

from pathlib import Path

UPGRADE_GUIDE = "docs/upgrading-reflex.md"


class ReflexHasChanged(RuntimeError):
    """A file that Reflex generates differs from what its patch expects."""

    def __init__(self, file: str, consequence: str) -> None:
        """`consequence` describes what would happen without the patch."""
        super().__init__(f"Reflex has changed: {file}: {consequence}; see {UPGRADE_GUIDE}")


def replace_once(source: str, old: str, new: str, file: str | Path, consequence: str) -> str:
    """Return `source` with `old` replaced by `new`; unchanged if it is already patched. Raises ReflexHasChanged."""
    if new in source:
        return source
    if source.count(old) != 1:
        raise ReflexHasChanged(str(file), consequence)
    return source.replace(old, new)
