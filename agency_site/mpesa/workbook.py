"""Read the rows of an Excel workbook (.xlsx), the format of M-Pesa's statements. This module does no I/O."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal

from openpyxl import load_workbook

SIGNATURE = b"PK\x03\x04"
_MOST_BYTES = 32 * 1024 * 1024
"""The largest size of all parts once they are unpacked: 10,000 lines take some 15 MB."""
_MOST_PARTS, _MOST_COLUMNS = 100, 40


class UnreadableWorkbook(ValueError):
    """The file is not a workbook, or is too large when unpacked."""


def read_sheets(content: bytes, most_rows: int) -> list[list[tuple[int, list[str]]]]:
    """Return the rows with content of each sheet, at most `most_rows`, each with its number. Raises UnreadableWorkbook."""
    _require_small(content)
    try:
        with closing(load_workbook(io.BytesIO(content), read_only=True, data_only=True)) as book:
            return [
                list(_read_rows(sheet.iter_rows(max_row=most_rows, max_col=_MOST_COLUMNS, values_only=True)))
                for sheet in book.worksheets
            ]
    except Exception as error:
        # A damaged file causes any error of zip, XML or openpyxl.
        raise UnreadableWorkbook(str(error)) from error


def _require_small(content: bytes) -> None:
    """Raise UnreadableWorkbook if the file is too large when unpacked. The declared sizes are safe: zipfile stops there."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            parts = packed.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise UnreadableWorkbook(str(error)) from error
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _MOST_BYTES:
        raise UnreadableWorkbook("it is too large")


def _read_rows(rows: Iterator[tuple[object, ...]]) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(rows, 1):
        cells = [_read_cell(value) for value in row]
        if any(cells):
            yield number, cells


def _read_cell(value: object) -> str:
    """Return the value in the form of the portal's CSV file."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        # Excel stores a time as a fraction of a day, which is rarely a whole number of seconds.
        return f"{value + timedelta(milliseconds=500):%Y-%m-%d %H:%M:%S}"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{Decimal(value):.2f}"
    return str(value).strip()
