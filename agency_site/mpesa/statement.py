"""The statement of M-Pesa's organisation portal, an Excel workbook or a CSV file, read line by line (daraja.md, section 4).

Safaricom publishes no description of it: columns are found by their names, times and amounts in the forms that are known. What
a statement does not show says something only within `Statement.begins` and `ends`, and only where it has no `gap`.
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
"""Of a sheet: the lines, and what is above and below them."""
_MOST_TEXT_LINES = 3 * _MOST_ROWS
"""Of a CSV file, without empty ones: a quoted cell may take several."""
_EMPTY = " ,;\t"
_NEEDED = ("receiptno", "completiontime", "transactionstatus", "paidin", "withdrawn")
_RECEIPT = re.compile("[A-Z0-9]{6,20}")
_AMOUNT = re.compile(r"-?(?:[0-9]{1,12}|[0-9]{1,3}(?:,[0-9]{3}){1,3})(?:\.[0-9]{1,2})?")
_CURRENCY = re.compile(r"^(?:KES|KSH)\b[. ]*", re.IGNORECASE)
_FINAL = frozenset({"failed", "declined", "cancelled", "expired"})
"""States of lines that never become money."""
_PHONE = re.compile(r"\+?[0-9][0-9*]{8,14}")
_ACCOUNT = re.compile(r"\bAcc\.?\s+(.+)$", re.IGNORECASE)
_MAY_BE_RECEIPT = re.compile(r"\b[A-Z0-9]{8,12}\b")
"""Some receipts have letters only: what is none is none of ours either."""
_RETURNS = re.compile(r"\brevers\w*\s+of\s+(?:transaction\s+)?([a-z0-9]{8,12})\b", re.IGNORECASE)
_CLOCKS_DIFFER = timedelta(minutes=10)
"""How much later than our clock a line may be."""


_FROM_BANK = re.compile(r"\s*funds received from\b", re.IGNORECASE)
"""Details of money that was moved from the organisation's bank, such as `Funds received from KCB current`."""


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
    returns: Mapping[int, ReturnedPayment]
    """Money that M-Pesa has returned to a payer, by the number of its line."""
    receipts: frozenset[str]
    """All receipts of money that was received, returned or not."""
    unread: tuple[UnreadLine, ...]
    lines: int
    """All lines with a transaction, fees and withdrawals included."""
    begins: datetime
    ends: datetime
    """The oldest and the newest line, the latter no later than now: between them nothing is missing unless there is a `gap`."""
    gap: str
    """Why what is missing says nothing; empty: it does."""
    stated_numbers: frozenset[str]
    """Numbers above the table, the short code among them."""


@dataclass(frozen=True)
class _Row:
    """A row of the file; `reason` says why its cells could not be read."""

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
    """What it adds to the balance."""
    balance: Decimal | None
    phone: str
    account: str
    returns: frozenset[str]
    """The receipts of transactions that it may return; empty: it returns none."""
    linked: str
    """The one that is surely meant as such; empty: none is."""
    is_own: bool
    """Our own money, moved here from our bank."""


def parse_statement(content: bytes) -> Statement:
    """The statement in a file. Raises UnreadableStatement for anything else."""
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
    """The cells by the names of their columns; of two columns with one name the first counts."""
    found: dict[str, str] = {}
    for name, cell in zip(names, cells, strict=False):
        found.setdefault(name, _clean_cell(cell))
    return found


def _clean_cell(cell: str) -> str:
    """The cell as it looks: spreadsheets and chats add characters that are not visible."""
    return " ".join(clean_number(cell).split())


def _find_order(times: Iterable[str], preamble: Iterable[str], latest: datetime) -> DateOrder:
    try:
        return find_date_order(times, " ".join(preamble), latest)
    except UnclearTimes as error:
        raise UnreadableStatement(str(error)) from error


def _build_statement(lines: list[_Line], unread: list[UnreadLine], preamble: Iterable[str]) -> Statement:
    done = [line for line in lines if line.state == "completed"]
    back = _sum_returned(done)
    received = [line for line in done if line.change > 0 and not line.returns and not line.is_own]
    times = [line.at for line in lines]
    return Statement(
        transactions={
            line.number: Transaction(line.receipt, line.at, line.phone, line.change, line.account)
            for line in received
            if back.get(line.receipt, Decimal(0)) < line.change
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
    """How much was returned, by the receipt of what was."""
    found: dict[str, Decimal] = {}
    for line in done:
        for receipt in line.returns:
            found[receipt] = found.get(receipt, Decimal(0)) - min(line.change, Decimal(0))
    return found


def _decode(content: bytes) -> str:
    try:
        text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    if "\0" in text:
        raise UnreadableStatement("This is neither a CSV file nor an Excel workbook (.xlsx).")
    return text


def _read_csv(text: str) -> Iterator[_Row]:
    """Rows with content, with the number of the line on which each begins."""
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
    """The lines; one that ends within quotation marks goes on to the next, unless that begins with a receipt or is the header."""
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
    """The rows of the sheet that has the table."""
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
    """The names of the columns, in plain letters."""
    return [re.sub("[^a-z]", "", cell.lower()) for cell in row.cells]


def _is_header(row: _Row) -> bool:
    return not row.reason and "receiptno" in _name_columns(row)


def _find_header(rows: Iterator[_Row]) -> tuple[list[str], list[str]]:
    """The names of the columns, and the cells above them."""
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
    raise UnreadableStatement('No column "Receipt No." was found: this is no M-Pesa statement.')


def _drop_footer(table: list[tuple[_Row, dict[str, str]]]) -> list[tuple[_Row, dict[str, str]]]:
    """The table without the totals and remarks below it, and without balances and remarks between its lines."""
    last = max((at for at, (row, cells) in enumerate(table) if _is_line(cells)), default=-1)
    return [(row, cells) for row, cells in table[: last + 1] if row.reason or not _is_remark(cells)]


def _is_remark(cells: Mapping[str, str]) -> bool:
    """Whether the row says nothing about a transaction, such as `Opening balance` or `Page 2 of 3`."""
    stated = (cells.get(name) for name in ("completiontime", "paidin", "withdrawn"))
    return not (_is_line(cells) or any(stated))


def _is_line(cells: Mapping[str, str]) -> bool:
    """Whether the row is about a transaction, however damaged: it has a receipt, a time or a state."""
    receipt, state = cells.get("receiptno", "").upper(), cells.get("transactionstatus", "").lower()
    has_receipt = _RECEIPT.fullmatch(receipt) and re.search("[0-9]", receipt)
    return bool(has_receipt) or is_time(cells.get("completiontime", "")) or state in _FINAL | {"completed"}


def _read_line(row: _Row, cells: Mapping[str, str], order: DateOrder, latest: datetime) -> _Line:
    """Raises ValueError, for staff to read."""
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
        raise ValueError("its completion time is no time")
    if at > latest:
        raise ValueError("its completion time is still to come")
    details = cells.get("details", "")
    typed = cells.get("acno", "") or (found.group(1) if (found := _ACCOUNT.search(details)) else "")
    phone = _PHONE.search(cells.get("otherpartyinfo", ""))
    change = (paid_in or Decimal(0)) - abs(withdrawn or Decimal(0))
    account = re.sub("[^A-Z0-9]", "", typed.upper())[:64]
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
        # Who pays to a Paybill has a phone or gives an account number.
        is_own=bool(_FROM_BANK.match(details)) and not account and not phone,
    )


def _find_returned(cells: Mapping[str, str], receipt: str, change: Decimal) -> frozenset[str]:
    """The receipts that a reversal names: its linked transaction and, of money that goes out, those in its details."""
    words = f"{cells.get('details', '')} {cells.get('reasontype', '')}".upper()
    if "REVERS" not in words or "CHARGE" in words:
        return frozenset()
    named = {cells.get("linkedtransactionid", "").upper()}
    if change < 0:
        named.update(_MAY_BE_RECEIPT.findall(words))
    return frozenset(named - {"", receipt})


def _find_linked(cells: Mapping[str, str]) -> str:
    """The receipt in the column of the linked transaction or, as in `Reversal of UKK1B2C3D4`, in the details."""
    in_details = _RETURNS.search(cells.get("details", ""))
    return (cells.get("linkedtransactionid", "") or (in_details[1] if in_details else "")).upper()


def _read_amount(cells: Mapping[str, str], name: str) -> Decimal | None:
    """The amount in that column; none: it is empty or zero. Raises ValueError."""
    text = _CURRENCY.sub("", cells.get(name, ""))
    if text in ("", "-"):
        return None
    # Spreadsheets write negative amounts in brackets.
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1]}"
    if not _AMOUNT.fullmatch(text):
        raise ValueError("an amount in it is no number")
    amount = Decimal(text.replace(",", ""))
    return amount if amount or name == "balance" else None


def _find_gap(lines: list[_Line], done: list[_Line], unread: list[UnreadLine]) -> str:
    """Why the file may lack transactions between its oldest and its newest line; empty: it lacks none."""
    if unread:
        return "lines of it could not be read"
    if any(line.state != "completed" and line.state not in _FINAL for line in lines):
        return "transactions in it are not completed yet"
    if not done or any(line.balance is None for line in done):
        return "it states no balances"
    if not is_in_order([line.at for line in lines]):
        return "its lines are not in the order of their times"
    newest_first = done[0].at > done[-1].at
    ordered = done[::-1] if newest_first else done
    if any(
        after.balance != (before.balance or Decimal(0)) + after.change for before, after in pairwise(ordered)
    ):
        return "its balances do not add up, so that lines may be missing"
    return ""
