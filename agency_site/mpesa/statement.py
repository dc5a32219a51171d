"""Read a statement of M-Pesa's organisation portal, an Excel workbook or a CSV file, line by line (daraja.md, section 4).

Safaricom publishes no description of the file: columns are found by name, times and amounts in all known forms. A payment that
is missing from the statement is unpaid only within `Statement.begins` and `ends`, and only if there is no `gap`.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise

from agency_site.characters import clean_number
from agency_site.clock import now
from agency_site.mpesa.contract import ReturnedPayment, Transaction
from agency_site.mpesa.statement_times import (
    DateOrder,
    UnclearTimes,
    find_date_order,
    is_in_order,
    is_time,
    read_time,
)
from agency_site.mpesa.wire import mask_text
from agency_site.mpesa.workbook import SIGNATURE, UnreadableWorkbook, read_sheets

MOST_LINES = 10_000
_TOO_LONG = f"The file has more than {MOST_LINES:,} lines. Please choose a shorter period."
_MOST_ROWS = MOST_LINES + 200
"""Rows of a sheet: the lines, and the text above and below them."""
_MOST_TEXT_LINES = 3 * _MOST_ROWS
"""Lines of a CSV file, without empty ones: a quoted cell may take several."""
_EMPTY = " ,;\t"
_NEEDED = ("receiptno", "completiontime", "transactionstatus", "paidin", "withdrawn")
_RECEIPT = re.compile("[A-Z0-9]{6,20}")
_AMOUNT = re.compile(r"-?(?:[0-9]{1,12}|[0-9]{1,3}(?:,[0-9]{3}){1,3})(?:\.[0-9]{1,2})?")
_CURRENCY = re.compile(r"^(?:KES|KSH)\b[. ]*", re.IGNORECASE)
_FINAL = frozenset({"failed", "declined", "cancelled", "expired"})
"""States of lines that never become payments."""
_PHONE = re.compile(r"\+?[0-9][0-9*]{8,14}")
_ACCOUNT = re.compile(r"\bAcc\.?\s+(.+)$", re.IGNORECASE)
_MAY_BE_RECEIPT = re.compile(r"\b[A-Z0-9]{8,12}\b")
"""Words in the form of a receipt. Ordinary words match, too, but belong to no payment of ours."""
_RETURNS = re.compile(r"\brevers\w*\s+of\s+(?:transaction\s+)?([a-z0-9]{8,12})\b", re.IGNORECASE)
_CLOCKS_DIFFER = timedelta(minutes=10)
"""The time by which a line may be later than our clock."""


_FROM_BANK = re.compile(r"\s*funds received from\b", re.IGNORECASE)
"""Details of money that was moved from the organisation's bank, such as `Funds received from KCB current`."""


class UnreadableStatement(ValueError):
    """The file is not a statement; the text explains it to staff."""


@dataclass(frozen=True)
class UnreadLine:
    """A line that could not be read, by its number in the file."""

    number: int
    reason: str


@dataclass(frozen=True)
class Statement:
    """The content of a statement."""

    transactions: Mapping[int, Transaction]
    """Money that was received and not reversed, by line number."""
    returns: Mapping[int, ReturnedPayment]
    """Reversed payments, by line number."""
    receipts: frozenset[str]
    """All receipts of received money, reversed or not."""
    unread: tuple[UnreadLine, ...]
    lines: int
    """All lines with a transaction, fees and withdrawals included."""
    begins: datetime
    ends: datetime
    """The times of the oldest and the newest line, at most now. Between them nothing is missing unless there is a `gap`."""
    gap: str
    """The reason why transactions may be missing; empty if the statement is complete."""
    stated_numbers: frozenset[str]
    """Numbers above the table, the short code among them."""


@dataclass(frozen=True)
class _Row:
    """A row of the file, with the `reason` if its cells could not be read."""

    number: int
    cells: Sequence[str]
    reason: str = ""


@dataclass(frozen=True)
class _Line:
    number: int
    receipt: str
    at: datetime
    state: str
    change: Decimal
    """The change of the balance by this line."""
    balance: Decimal | None
    phone: str
    account: str
    returns: frozenset[str]
    """The receipts of transactions that this line may reverse; empty if it is not a reversal."""
    linked: str
    """The receipt that is certainly meant as the reversed one; empty if none is."""
    is_own: bool
    """True for our own money, transferred from our bank."""


def parse_statement(content: bytes) -> Statement:
    """Return the statement in a file. Raises UnreadableStatement if the file is not a statement."""
    rows = _read_workbook(content) if content.startswith(SIGNATURE) else _read_csv(_decode(content))
    names, preamble = _find_header(rows)
    table = _drop_footer([(row, _name_cells(names, row.cells)) for row in rows if not _is_header(row)])
    if len(table) > MOST_LINES:
        raise UnreadableStatement(_TOO_LONG)
    latest = now() + _CLOCKS_DIFFER
    order = _find_order([cells.get("completiontime", "") for _, cells in table], preamble, latest)
    lines, unread = [], []
    for row, cells in table:
        try:
            lines.append(_read_line(row, cells, order, latest))
        except ValueError as error:
            unread.append(UnreadLine(row.number, str(error)))
    if not lines:
        first = f" Line {unread[0].number}: {unread[0].reason}." if unread else ""
        raise UnreadableStatement(f"The file has no line that can be read.{first}")
    return _build_statement(lines, unread, preamble)


def _name_cells(names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Return the cells by column name. Of two columns with the same name the first one counts."""
    named_cells: dict[str, str] = {}
    for name, cell in zip(names, cells, strict=False):
        named_cells.setdefault(name, _clean_cell(cell))
    return named_cells


def _clean_cell(cell: str) -> str:
    """Return the visible text of a cell: spreadsheets and chats add invisible characters."""
    return " ".join(clean_number(cell).split())


def _find_order(times: Iterable[str], preamble: Iterable[str], latest: datetime) -> DateOrder:
    try:
        return find_date_order(times, " ".join(preamble), latest)
    except UnclearTimes as error:
        raise UnreadableStatement(str(error)) from error


def _build_statement(lines: list[_Line], unread: list[UnreadLine], preamble: Iterable[str]) -> Statement:
    done = [line for line in lines if line.state == "completed"]
    reversed_amounts = _sum_returned(done)
    received = [line for line in done if line.change > 0 and not line.returns and not line.is_own]
    times = [line.at for line in lines]
    return Statement(
        transactions={
            line.number: Transaction(line.receipt, line.at, line.phone, line.change, line.account)
            for line in received
            if reversed_amounts.get(line.receipt, Decimal(0)) < line.change
        },
        returns={
            line.number: ReturnedPayment(
                line.receipt, line.at, -line.change, line.returns, line.linked, line.account
            )
            for line in done
            if line.change < 0 and line.returns
        },
        receipts=frozenset(line.receipt for line in received),
        unread=tuple(unread),
        lines=len(lines) + len(unread),
        begins=min(times),
        ends=min(max(times), now()),
        gap=_find_gap(lines, done, unread),
        stated_numbers=frozenset(re.findall(r"\d{5,7}", " ".join(preamble))),
    )


def _sum_returned(done: Iterable[_Line]) -> dict[str, Decimal]:
    """Return the reversed amounts by the receipt of the reversed payment."""
    amounts: dict[str, Decimal] = {}
    for line in done:
        for receipt in line.returns:
            amounts[receipt] = amounts.get(receipt, Decimal(0)) - min(line.change, Decimal(0))
    return amounts


def _decode(content: bytes) -> str:
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    if "\0" in text:
        raise UnreadableStatement("This is neither a CSV file nor an Excel workbook (.xlsx).")
    return text


def _read_csv(text: str) -> Iterator[_Row]:
    """Yield the rows with content, each with the number of its first line."""
    lines = re.split(r"\r\n|\n|\r", text)
    if sum(1 for line in lines if line.strip(_EMPTY)) > _MOST_TEXT_LINES:
        raise UnreadableStatement(_TOO_LONG)
    header = next((line for line in lines if "receipt no" in line.lower()), "")
    separator = max(",;\t", key=header.count)
    for number, record in _join_lines(lines, separator):
        try:
            (row,) = csv.reader([record], delimiter=separator, strict=True)
        except csv.Error:
            cells = [cell.strip(' "') for cell in record.split(separator)]
            yield _Row(number, cells, "its quotation marks do not match")
            continue
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield _Row(number, cells)


def _join_lines(lines: Iterable[str], separator: str) -> Iterator[tuple[int, str]]:
    """Yield the records with their line numbers, joining lines within quotation marks.

    A line that begins with a receipt, or the header, always starts a new record: otherwise one unmatched quotation mark would
    swallow the rest of the file.
    """
    begins = re.compile(rf'"?(?:{_RECEIPT.pattern}|Receipt No\.?)"?{re.escape(separator)}', re.IGNORECASE)
    number, record, is_open = 0, list[str](), False
    for current, line in enumerate(lines, 1):
        if is_open and not begins.match(line):
            record.append(line)
            is_open ^= line.count('"') % 2 == 1
            continue
        if record:
            yield number, " ".join(record)
        number, record = current, [line] if line.strip(_EMPTY) else []
        is_open = line.count('"') % 2 == 1
    if record:
        yield number, " ".join(record)


def _read_workbook(content: bytes) -> Iterator[_Row]:
    """Return the rows of the sheet with the table."""
    try:
        sheets = read_sheets(content, _MOST_ROWS)
    except UnreadableWorkbook:
        raise UnreadableStatement("This Excel workbook cannot be read, or is too large.") from None
    tables = [sheet for sheet in sheets if any(_is_header(_Row(number, cells)) for number, cells in sheet)]
    if len(tables) > 1:
        raise UnreadableStatement(
            "The workbook has more than one sheet with a statement. Please import them one by one."
        )
    return (_Row(number, cells) for number, cells in (tables or [[]])[0])


def _name_columns(row: _Row) -> list[str]:
    """Return the names of the columns, in lower case and without spaces or punctuation."""
    return [re.sub("[^a-z]", "", cell.lower()) for cell in row.cells]


def _is_header(row: _Row) -> bool:
    return not row.reason and "receiptno" in _name_columns(row)


def _find_header(rows: Iterator[_Row]) -> tuple[list[str], list[str]]:
    """Return the names of the columns, and the cells above them."""
    preamble: list[str] = []
    for row in rows:
        if _is_header(row):
            names = _name_columns(row)
            missing = [name for name in _NEEDED if name not in names]
            if missing:
                raise UnreadableStatement(
                    f"The table lacks {len(missing)} of the columns of an M-Pesa statement."
                )
            return names, preamble
        preamble += row.cells
    raise UnreadableStatement('No column "Receipt No." was found: this is not an M-Pesa statement.')


def _drop_footer(table: list[tuple[_Row, dict[str, str]]]) -> list[tuple[_Row, dict[str, str]]]:
    """Return the table without the totals and remarks below it, and without balances and remarks between its lines."""
    last = max((at for at, (row, cells) in enumerate(table) if _is_line(cells)), default=-1)
    return [(row, cells) for row, cells in table[: last + 1] if row.reason or not _is_remark(cells)]


def _is_remark(cells: Mapping[str, str]) -> bool:
    """Return whether the row is not about a transaction, such as `Opening balance` or `Page 2 of 3`."""
    stated = (cells.get(name) for name in ("completiontime", "paidin", "withdrawn"))
    return not (_is_line(cells) or any(stated))


def _is_line(cells: Mapping[str, str]) -> bool:
    """Return whether the row is about a transaction, even a damaged one: it has a receipt, a time or a state."""
    receipt, state = cells.get("receiptno", "").upper(), cells.get("transactionstatus", "").lower()
    has_receipt = _RECEIPT.fullmatch(receipt) and re.search("[0-9]", receipt)
    return bool(has_receipt) or is_time(cells.get("completiontime", "")) or state in _FINAL | {"completed"}


def _read_line(row: _Row, cells: Mapping[str, str], order: DateOrder, latest: datetime) -> _Line:
    """Return a line. Raises ValueError with a text for staff."""
    if row.reason:
        raise ValueError(row.reason)
    receipt = cells.get("receiptno", "").upper()
    if not _RECEIPT.fullmatch(receipt):
        raise ValueError("it has no receipt number")
    paid_in, withdrawn = _read_amount(cells, "paidin"), _read_amount(cells, "withdrawn")
    if (paid_in is None) == (withdrawn is None):
        raise ValueError("it must have an amount either paid in or withdrawn")
    at = read_time(cells.get("completiontime", ""), order)
    if at is None:
        raise ValueError("its completion time is not valid")
    if at > latest:
        raise ValueError("its completion time is in the future")
    details = cells.get("details", "")
    account_cell = cells.get("acno", "") or (match.group(1) if (match := _ACCOUNT.search(details)) else "")
    phone = _PHONE.search(cells.get("otherpartyinfo", ""))
    change = (paid_in or Decimal(0)) - abs(withdrawn or Decimal(0))
    account = re.sub("[^A-Z0-9]", "", account_cell.upper())[:64]
    return _Line(
        row.number,
        receipt,
        at,
        cells.get("transactionstatus", "").lower(),
        change,
        _read_amount(cells, "balance"),
        mask_text(phone.group().removeprefix("+")) if phone else "",
        account,
        _find_returned(cells, receipt, change),
        _find_linked(cells),
        # A payer has a phone or enters an account number; a transfer from our bank has neither.
        is_own=bool(_FROM_BANK.match(details)) and not account and not phone,
    )


def _find_returned(cells: Mapping[str, str], receipt: str, change: Decimal) -> frozenset[str]:
    """Return the receipts that a reversal names: its linked transaction and, for outgoing money, those in its details."""
    words = f"{cells.get('details', '')} {cells.get('reasontype', '')}".upper()
    if "REVERS" not in words or "CHARGE" in words:
        return frozenset()
    named = {cells.get("linkedtransactionid", "").upper()}
    if change < 0:
        named.update(_MAY_BE_RECEIPT.findall(words))
    return frozenset(named - {"", receipt})


def _find_linked(cells: Mapping[str, str]) -> str:
    """Return the receipt in the column of the linked transaction or, as in `Reversal of UKK1B2C3D4`, in the details."""
    in_details = _RETURNS.search(cells.get("details", ""))
    return (cells.get("linkedtransactionid", "") or (in_details[1] if in_details else "")).upper()


def _read_amount(cells: Mapping[str, str], name: str) -> Decimal | None:
    """Return the amount in that column; None if it is empty or zero. Raises ValueError."""
    text = _CURRENCY.sub("", cells.get(name, ""))
    if text in ("", "-"):
        return None
    # Spreadsheets write negative amounts in brackets.
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1]}"
    if not _AMOUNT.fullmatch(text):
        raise ValueError("the amount is not a number")
    amount = Decimal(text.replace(",", ""))
    return amount if amount or name == "balance" else None


def _find_gap(lines: list[_Line], done: list[_Line], unread: list[UnreadLine]) -> str:
    """Return the reason why transactions may be missing between the oldest and the newest line; empty if none is missing."""
    if unread:
        return "some lines could not be read"
    if any(line.state != "completed" and line.state not in _FINAL for line in lines):
        return "some transactions are not completed yet"
    if not done or any(line.balance is None for line in done):
        return "it states no balances"
    if not is_in_order([line.at for line in lines]):
        return "its lines are not in the order of their times"
    newest_first = done[0].at > done[-1].at
    ordered = done[::-1] if newest_first else done
    if any(
        after.balance != (before.balance or Decimal(0)) + after.change for before, after in pairwise(ordered)
    ):
        return "its balances do not add up, so lines may be missing"
    return ""
