"""The statement of M-Pesa's organisation portal, a CSV file, read line by line (daraja.md, section 4). No I/O.

Safaricom publishes no description of it: columns are found by their names, times and amounts in the forms that are known. What
a statement does not show says something only within `Statement.begins` and `ends`, and only where it has no `gap`.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise

from agency_site.clock import NAIROBI
from agency_site.mpesa.contract import Transaction
from agency_site.mpesa.wire import mask_text

MOST_LINES = 10_000
_NEEDED = ("receiptno", "completiontime", "transactionstatus", "paidin", "withdrawn")
_TIMES = (
    "%d-%m-%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%d-%m-%Y %H:%M", "%Y-%m-%d %H:%M", "%d/%m/%Y %H:%M",
)  # fmt: skip
_AMOUNT = re.compile(r"-?(?:[0-9]{1,12}|[0-9]{1,3}(?:,[0-9]{3}){1,3})(?:\.[0-9]{1,2})?")
_FINAL = frozenset({"failed", "declined", "cancelled", "expired"})
"""States of lines that never become money."""
_PHONE = re.compile(r"\+?[0-9][0-9*]{8,14}")
_ACCOUNT = re.compile(r"\bAcc\.?\s+(.+)$", re.IGNORECASE)


class UnreadableStatement(ValueError):
    """The file is no statement; the text says why, for staff."""


@dataclass(frozen=True)
class UnreadLine:
    """A line that could not be read, by its number in the file."""

    number: int
    reason: str


@dataclass(frozen=True)
class Statement:
    """What a file shows."""

    transactions: Mapping[int, Transaction]
    """Money that was received and not returned, by the number of its line."""
    unread: tuple[UnreadLine, ...]
    lines: int
    """All lines with a transaction, fees and withdrawals included."""
    begins: datetime
    ends: datetime
    """The oldest and the newest line: between them nothing is missing unless there is a `gap`."""
    gap: str
    """Why what is missing says nothing; empty: it does."""
    stated_numbers: frozenset[str]
    """Numbers above the table, the short code among them."""


@dataclass(frozen=True)
class _Line:
    number: int
    receipt: str
    at: datetime
    state: str
    change: Decimal
    """What it adds to the balance."""
    balance: Decimal | None
    phone: str
    account: str
    reverses: str
    """The receipt of the transaction that it returns; empty: none."""


def parse_statement(content: bytes) -> Statement:
    """The statement in a file. Raises UnreadableStatement for anything else."""
    rows = _read_rows(_decode(content))
    names, preamble = _find_header(rows)
    lines, unread = [], []
    for number, cells in rows:
        try:
            lines.append(_read_line(number, dict(zip(names, cells, strict=False))))
        except ValueError as error:
            unread.append(UnreadLine(number, str(error)))
        if len(lines) + len(unread) > MOST_LINES:
            raise UnreadableStatement(
                f"The file has more than {MOST_LINES:,} lines. Please choose a shorter period."
            )
    if not lines:
        raise UnreadableStatement("The file has no line that can be read.")
    done = [line for line in lines if line.state == "completed"]
    returned = {line.reverses for line in done}
    received = {
        line.number: Transaction(line.receipt, line.at, line.phone, line.change, line.account)
        for line in done
        if line.change > 0 and not line.reverses and line.receipt not in returned
    }
    times = [line.at for line in lines]
    gap = _find_gap(lines, done, unread)
    numbers = frozenset(re.findall(r"\d{5,7}", " ".join(preamble)))
    return Statement(received, tuple(unread), len(lines) + len(unread), min(times), max(times), gap, numbers)


def _decode(content: bytes) -> str:
    if content.startswith(b"PK"):
        raise UnreadableStatement("This is an Excel workbook. Please save it as CSV and choose that file.")
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    if "\0" in text:
        raise UnreadableStatement("This is no CSV file.")
    return text


def _read_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with content, with the number of the line on which each begins."""
    header = next((line for line in text.splitlines() if "receipt no" in line.lower()), "")
    separator = max(",;\t", key=header.count)
    reader, begins = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), 1
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error:
        raise UnreadableStatement(f"The file cannot be read from line {begins} on.") from None


def _find_header(rows: Iterator[tuple[int, list[str]]]) -> tuple[list[str], list[str]]:
    """The names of the columns, in plain letters, and the cells above them."""
    preamble: list[str] = []
    for _, cells in rows:
        names = [re.sub("[^a-z]", "", cell.lower()) for cell in cells]
        if "receiptno" in names:
            missing = [name for name in _NEEDED if name not in names]
            if missing:
                raise UnreadableStatement(
                    f"The table lacks {len(missing)} of the columns of an M-Pesa statement."
                )
            return names, preamble
        preamble += cells
    raise UnreadableStatement('No column "Receipt No." was found: this is no M-Pesa statement.')


def _read_line(number: int, cells: Mapping[str, str]) -> _Line:
    """Raises ValueError, for staff to read."""
    receipt = cells.get("receiptno", "").upper()
    if not re.fullmatch("[A-Z0-9]{6,20}", receipt):
        raise ValueError("it has no receipt number")
    paid_in, withdrawn = _read_amount(cells, "paidin"), _read_amount(cells, "withdrawn")
    if (paid_in is None) == (withdrawn is None):
        raise ValueError("it must have an amount either paid in or withdrawn")
    details, reason = cells.get("details", ""), cells.get("reasontype", "")
    is_reversal = "revers" in f"{details} {reason}".lower()
    typed = cells.get("acno", "") or (found.group(1) if (found := _ACCOUNT.search(details)) else "")
    phone = _PHONE.search(cells.get("otherpartyinfo", ""))
    return _Line(
        number,
        receipt,
        _read_time(cells.get("completiontime", "")),
        cells.get("transactionstatus", "").lower(),
        (paid_in or Decimal(0)) - abs(withdrawn or Decimal(0)),
        _read_amount(cells, "balance"),
        mask_text(phone.group().removeprefix("+")) if phone else "",
        re.sub("[^A-Z0-9]", "", typed.upper())[:64],
        cells.get("linkedtransactionid", "").upper() if is_reversal else "",
    )


def _read_amount(cells: Mapping[str, str], name: str) -> Decimal | None:
    """The amount in that column; none: it is empty or zero. Raises ValueError."""
    text = cells.get(name, "")
    if not text:
        return None
    if not _AMOUNT.fullmatch(text):
        raise ValueError("an amount in it is no number")
    amount = Decimal(text.replace(",", ""))
    return amount if amount or name == "balance" else None


def _read_time(text: str) -> datetime:
    for form in _TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=NAIROBI).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    raise ValueError("its completion time is no time")


def _find_gap(lines: list[_Line], done: list[_Line], unread: list[UnreadLine]) -> str:
    """Why the file may lack transactions between its oldest and its newest line; empty: it lacks none."""
    if unread:
        return "lines of it could not be read"
    if any(line.state != "completed" and line.state not in _FINAL for line in lines):
        return "transactions in it are not completed yet"
    if not done or any(line.balance is None for line in done):
        return "it states no balances"
    newest_first = done[0].at > done[-1].at
    ordered = done[::-1] if newest_first else done
    if any(
        after.balance != (before.balance or Decimal(0)) + after.change for before, after in pairwise(ordered)
    ):
        return "its balances do not add up, so that lines may be missing"
    return ""
