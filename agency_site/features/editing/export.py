"""`python -m agency_site.features.editing.export`: write what staff have published into the delivered content.

Articles and insights become Markdown files, or lose theirs if they are hidden; pictures of the library become files of
`assets/images`. What remains to be done by hand is in `content-export.txt`. `make content-export` calls it.
"""

import asyncio
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.engine import dispose_engine, read_scope
from agency_site.db.outages import describe_outage, is_outage
from agency_site.errors import NotFound
from agency_site.features.editing.entries.delivered_files import DeliveredFiles, write_files
from agency_site.features.editing.entries.usecases import list_overlays
from agency_site.features.editing.pictures.usecases import find_by_digest, read_file
from agency_site.picture_addresses import PictureAddress, parse_picture_address
from agency_site.settings import ROOT, SettingsRefused, load_settings

CONTENT = ROOT / "agency_site" / "content"
ASSETS = ROOT / "assets"
STEPS = ROOT / "content-export.txt"
_LARGEST = 80 * 1024
"""Bytes of a delivered picture (docs/content.md)."""


@dataclass(frozen=True)
class Export:
    """What is written into the project."""

    delivered: DeliveredFiles
    pictures: Mapping[str, bytes]
    """The files of pictures by their addresses, such as `/images/kiosk-01234567.webp`."""


def main() -> int:
    """Write the files and report them; return the exit code."""
    try:
        load_settings()
        export = asyncio.run(_read_export())
    except SettingsRefused as wrong:
        print(wrong, file=sys.stderr)
        return 1
    except DBAPIError as wrong:
        advice = describe_outage(wrong) if is_outage(wrong) else "Start the site once to create its tables."
        print(f"The database cannot be used. {advice}", file=sys.stderr)
        return 1
    print(store_files(export, CONTENT, ASSETS, STEPS))
    return 0


async def _read_export() -> Export:
    try:
        async with read_scope() as session:
            return await read_export(session)
    finally:
        await dispose_engine()


async def read_export(session: AsyncSession) -> Export:
    """Return what the database has published. A picture that is not in the library keeps its address: `make check` names it."""
    delivered = write_files(await list_overlays(session))
    pictures: dict[str, bytes] = {}
    addresses: dict[str, str] = {}
    for text in delivered.list_pictures():
        address = parse_picture_address(text)
        try:
            name, body = await _read_picture(session, address) if address else ("", b"")
        except NotFound:
            continue
        if name:
            addresses[text], pictures[name] = name, body
    return Export(delivered.with_addresses(addresses), pictures)


async def _read_picture(session: AsyncSession, address: PictureAddress) -> tuple[str, bytes]:
    """Return address and content of the file of a picture: the largest one that may be delivered. Raises NotFound."""
    picture = await find_by_digest(session, address.digest)
    widths = sorted(address.webp_widths, reverse=True)
    names = [f"{width}.webp" for width in widths] or [address.name]
    for name in names:
        file = await read_file(session, address.digest, name)
        if len(file.body) <= _LARGEST:
            break
    stem = re.sub(r"[^a-z0-9]+", "-", Path(picture.name).stem.lower()).strip("-") or "picture"
    return f"/images/{stem}-{address.digest[:8]}{Path(name).suffix}", file.body


def store_files(export: Export, content: Path, assets: Path, steps: Path) -> str:
    """Write the files below `content` and `assets`, and the steps to the file `steps`; return what was written, in words."""
    delivered = export.delivered
    for name, text in delivered.files.items():
        (content / name).write_text(text, encoding="utf-8")
    for name in delivered.removed:
        (content / name).unlink(missing_ok=True)
    for name, body in export.pictures.items():
        (assets / name.lstrip("/")).write_bytes(body)
    steps.write_text("\n\n".join((*delivered.steps, "")), encoding="utf-8")
    lists = {"Files": delivered.files, "Removed": delivered.removed, "Pictures": export.pictures}
    counts = [
        f"{words}: {len(names)}" + "".join(f"\n  {name}" for name in names)
        for words, names in lists.items()
        if names
    ]
    return "\n".join((*counts, f"Steps by hand: {len(delivered.steps)}, in {steps.name}"))


if __name__ == "__main__":
    sys.exit(main())
