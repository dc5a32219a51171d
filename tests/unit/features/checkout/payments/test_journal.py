"""Files of the journal that no process will complete."""

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from agency_site.features.checkout.payments.journal import EntryKind, read_entries


def test_a_half_written_entry_is_not_read_and_is_removed_once_its_writer_must_have_ended(
    tmp_path: Path, configure: Callable[..., object]
) -> None:
    configure(journal_folder=str(tmp_path))
    complete, being_written, abandoned = (tmp_path / name for name in ("1.json", "2.tmp", "3.json.tmp"))
    complete.write_text(json.dumps({"kind": EntryKind.CALLBACK, "values": {"body": "paid"}}))
    for half in (being_written, abandoned):
        half.write_text('{"kind": "callb')
    hour_ago = time.time() - 3600
    os.utime(abandoned, (hour_ago, hour_ago))
    assert [entry.path for entry in asyncio.run(read_entries())] == [complete]
    assert sorted(tmp_path.iterdir()) == [complete, being_written]
