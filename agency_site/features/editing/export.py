"""`python -m agency_site.features.editing.export`: write what staff have published into the delivered content.

Articles and insights become Markdown files. What remains to be done by hand is in `content-export.txt`. `make content-export`
calls it.
"""

import asyncio
import sys
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from agency_site.db.engine import dispose_engine, read_scope
from agency_site.db.outages import describe_outage, is_outage
from agency_site.features.editing.entries.delivered_files import DeliveredFiles, write_files
from agency_site.features.editing.entries.usecases import list_overlays
from agency_site.settings import ROOT, SettingsRefused, load_settings

CONTENT = ROOT / "agency_site" / "content"
STEPS = ROOT / "content-export.txt"


def main() -> int:
    """Write the files and report them; return the exit code."""
    try:
        load_settings()
        delivered = asyncio.run(_read_files())
    except SettingsRefused as wrong:
        print(wrong, file=sys.stderr)
        return 1
    except DBAPIError as wrong:
        advice = describe_outage(wrong) if is_outage(wrong) else "Start the site once to create its tables."
        print(f"The database cannot be used. {advice}", file=sys.stderr)
        return 1
    print(store_files(delivered, CONTENT, STEPS))
    return 0


async def _read_files() -> DeliveredFiles:
    try:
        async with read_scope() as session:
            return write_files(await list_overlays(session))
    finally:
        await dispose_engine()


def store_files(delivered: DeliveredFiles, content: Path, steps: Path) -> str:
    """Write the files below `content` and the steps to the file `steps`; return what was written, in words."""
    for name, text in delivered.files.items():
        (content / name).write_text(text, encoding="utf-8")
    steps.write_text("\n\n".join((*delivered.steps, "")), encoding="utf-8")
    names = "".join(f"\n  {name}" for name in delivered.files)
    return f"Files: {len(delivered.files)}{names}\nSteps by hand: {len(delivered.steps)}, in {steps.name}"


if __name__ == "__main__":
    sys.exit(main())
