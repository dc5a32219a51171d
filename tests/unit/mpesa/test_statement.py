"""Statements of M-Pesa's organisation portal are read in every file format, and nothing in them is guessed."""

import io
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from openpyxl import Workbook

from agency_site import clock
from agency_site.clock import NAIROBI
from agency_site.mpesa.statement import Statement, UnreadableStatement, parse_statement

PREAMBLE = (
    "Organisation Name,Studio Example\n"
    "Short Code,174379\n"
    'Time Period,"From 20-11-2026 00:00:00 To 20-11-2026 23:59:59"\n'
    "\n"
)
HEADER = (
    "Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,"
    "Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No.\n"
)


NOW = datetime(2026, 11, 27, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def a_week_later() -> Iterator[None]:
    with clock.frozen(NOW):
        yield


def line(
    receipt: str = "UKK1B2C3D4",
    at: str = "20-11-2026 12:00:00",
    paid_in: str = "15000.00",
    withdrawn: str = "",
    balance: str = "15000.00",
    state: str = "Completed",
    account: str = "EN7F3K9Q1",
    details: str = "Pay Bill from 254712345111 - JANE DOE",
    party: str = "254712345111 - JANE DOE",
    linked: str = "",
) -> str:
    cells = [
        receipt,
        at,
        at,
        details,
        state,
        paid_in,
        withdrawn,
        balance,
        "true",
        "Pay Bill",
        party,
        linked,
        account,
    ]
    return ",".join(f'"{cell}"' if "," in cell else cell for cell in cells) + "\n"


def parse(*lines: str, preamble: str = PREAMBLE) -> Statement:
    return parse_statement((preamble + HEADER + "".join(lines)).encode())


def test_a_payment_is_read_with_its_line_amount_time_and_account_and_without_the_payer() -> None:
    statement = parse(line(paid_in="15,000.00"))
    ((number, workbook_row),) = statement.transactions.items()
    assert (number, workbook_row.receipt, workbook_row.amount, workbook_row.bill_reference) == (
        6,
        "UKK1B2C3D4",
        Decimal(15000),
        "EN7F3K9Q1",
    )
    assert (workbook_row.at, workbook_row.phone) == (
        datetime(2026, 11, 20, 9, tzinfo=UTC),
        "254******111",
    )
    assert (statement.unread, statement.gap, "174379" in statement.stated_numbers) == ((), "", True)
    assert "JANE" not in repr(statement)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_way_of_saving_it_is_the_same_statement(encoding: str, separator: str, ending: str) -> None:
    text = PREAMBLE + HEADER + line(party="254712345111 - JOSÉ", paid_in="15000.00")
    saved = text.replace('"', "").replace(",", separator).replace("\n", ending)
    statement = parse_statement(saved.encode(encoding))
    assert [transaction.receipt for transaction in statement.transactions.values()] == ["UKK1B2C3D4"]
    assert statement.unread == ()


@pytest.mark.parametrize(
    "at",
    [
        "20-11-2026 12:00:00",
        "2026-11-20 12:00:00",
        "20/11/2026 12:00:00",
        "20-11-2026 12:00",
        "2026-11-20 12:00",
    ],
)
def test_times_are_those_of_nairobi(at: str) -> None:
    assert parse(line(at=at)).ends == datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"receipt": ""}, "it has no receipt number"),
        ({"receipt": "UKK 1"}, "it has no receipt number"),
        ({"at": "32-11-2026 12:00:00"}, "its completion time is not valid"),
        ({"paid_in": "1.500,00"}, "the amount is not a number"),
        ({"paid_in": "15 000"}, "the amount is not a number"),
        ({"paid_in": "1e3"}, "the amount is not a number"),
        ({"paid_in": ""}, "it must have an amount either paid in or withdrawn"),
        ({"withdrawn": "-5.00"}, "it must have an amount either paid in or withdrawn"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_leaves_a_gap(changes: dict[str, str], reason: str) -> None:
    statement = parse(line("UKK1B2C3D5"), line(**changes))
    assert [(line.number, line.reason) for line in statement.unread] == [(7, reason)]
    assert (len(statement.transactions), statement.lines) == (1, 2)
    assert statement.gap == "some lines could not be read"


def test_fees_withdrawals_failures_and_money_that_was_returned_are_no_payments() -> None:
    statement = parse(
        line("UKK0000001", paid_in="100.00", balance="100.00"),
        line("UKK0000002", paid_in="", withdrawn="-10.00", balance="90.00", details="Business Charge"),
        line("UKK0000003", paid_in="50.00", state="Failed", balance="90.00"),
        line("UKK0000004", paid_in="40.00", balance="130.00"),
        line("UKK0000005", paid_in="", withdrawn="40.00", balance="90.00", details="Pay Bill Reversal", linked="UKK0000004"),
    )  # fmt: skip
    assert [transaction.receipt for transaction in statement.transactions.values()] == ["UKK0000001"]
    assert (statement.lines, statement.gap) == (5, "")


@pytest.mark.parametrize(
    ("account", "party", "received"),
    [("", "KCB current", 0), ("EN7F3K9Q1", "KCB current", 1), ("", "254712345111 - JANE DOE", 1)],
)
def test_our_own_money_from_the_bank_is_no_payment_unless_a_payer_is_named(
    account: str, party: str, received: int
) -> None:
    statement = parse(line(), line("UKK1B2C3D5", balance="30000.00", account=account, party=party,
                               details="Funds received from KCB current"))  # fmt: skip
    assert (len(statement.transactions), statement.lines, statement.gap) == (1 + received, 2, "")


def test_the_newest_line_may_come_first() -> None:
    newest = line("UKK0000002", at="20-11-2026 13:00:00", paid_in="50.00", balance="150.00")
    statement = parse(newest, line("UKK0000001", paid_in="100.00", balance="100.00"))
    assert statement.gap == ""
    assert (statement.begins.hour, statement.ends.hour) == (9, 10)


@pytest.mark.parametrize(
    ("lines", "gap"),
    [
        (
            [line("UKK0000001", balance="100.00", paid_in="100.00"), line("UKK0000003", balance="300.00", paid_in="100.00")],
            "its balances do not add up, so lines may be missing",
        ),
        ([line("UKK0000001", balance="")], "it states no balances"),
        ([line("UKK0000001"), line("UKK0000002", state="Pending")], "some transactions are not completed yet"),
        ([line("UKK0000001", state="Failed")], "it states no balances"),
    ],
)  # fmt: skip
def test_a_statement_that_may_lack_lines_says_so(lines: list[str], gap: str) -> None:
    assert parse(*lines).gap == gap


def test_the_account_is_found_in_the_details_where_its_column_is_empty() -> None:
    statement = parse(line(account="", details="Pay Bill from 2547****1111 - JOHN Acc. en-7f3k 9q1"))
    assert [transaction.bill_reference for transaction in statement.transactions.values()] == ["EN7F3K9Q1"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not an M-Pesa statement"),
        (b"name,phone\nJane,0712345678\n", "not an M-Pesa statement"),
        (b"PK\x03\x04rest of a workbook", "Excel workbook cannot be read"),
        (b"%PDF-1.7\n\x00\x01", "neither a CSV file nor an Excel workbook"),
        (HEADER.encode(), "no line that can be read"),
        (b"Receipt No.,Details\nUKK1B2C3D4,x\n", "lacks 4 of the columns"),
        ((HEADER + '"UKK1B2C3D4,no end of the quotation\n').encode(), "no line that can be read"),
        ((HEADER + line() * 10_001).encode(), "more than 10,000 lines"),
    ],
)
def test_anything_else_is_refused_with_the_reason(content: bytes, said: str) -> None:
    with pytest.raises(UnreadableStatement, match=said):
        parse_statement(content)


EXCEL = "Short Code,174379\n"
"""Above the table of a file without a period."""


def of_days(*days: str, preamble: str = EXCEL) -> list[datetime]:
    """The times of a payment of 100 shillings on each of the days, as they are read."""
    lines = [
        line(f"UKA000000{number}", at=day if ":" in day else f"{day} 10:00", paid_in="100.00", balance=f"{number * 100}.00")
        for number, day in enumerate(days, 1)
    ]  # fmt: skip
    return [
        transaction.at
        for transaction in parse(*lines, preamble=preamble).transactions.values()
        if transaction.at
    ]


def november(*days: int) -> list[datetime]:
    return [datetime(2026, 11, day, 10, tzinfo=NAIROBI) for day in days]


@pytest.mark.parametrize(
    ("days", "read"),
    [
        # A day over 12 shows the order of every line.
        (("11/1/2026", "11/13/2026"), november(1, 13)),
        (("1/11/2026", "13/11/2026"), november(1, 13)),
        (("11/13/2026", "11/12/2026", "11/1/2026"), november(13, 12, 1)),
        # With the other order the last line would be still to come.
        (("11/1/2026", "11/2/2026", "11/12/2026"), november(1, 2, 12)),
        (("01/11/2026", "02/11/2026", "12/11/2026"), november(1, 2, 12)),
        # With the other order the lines would rise and fall.
        (
            ("8/10/2026", "9/3/2026", "9/9/2026"),
            [datetime(2026, month, day, 10, tzinfo=NAIROBI) for month, day in ((8, 10), (9, 3), (9, 9))],
        ),
        # Both orders are the same day.
        (("11/11/2026",), november(11)),
        # M-Pesa's portal writes dashes with the day first.
        (("01-11-2026", "02-11-2026", "03-11-2026"), november(1, 2, 3)),
        (("1/11/2026", "13-11-2026"), november(1, 13)),
        # Its last line is still to come, which says nothing about the others.
        (("05-11-2026", "06-11-2026", "07-12-2026"), november(5, 6)),
        (("05-11-2026", "06-12-2026"), november(5)),
    ],
)
def test_day_and_month_have_one_order_in_the_whole_file(days: tuple[str, ...], read: list[datetime]) -> None:
    assert of_days(*days) == read


@pytest.mark.parametrize(
    "period",
    ["From 01-11-2026 00:00:00 To 10-11-2026 23:59:59", "From 2026-11-01 To 2026-11-10", "2026-11-01 - 2026-11-10"],
)  # fmt: skip
@pytest.mark.parametrize("days", [("11/1/2026", "11/9/2026"), ("1/11/2026", "9/11/2026")])
def test_the_stated_period_shows_the_order_of_day_and_month(period: str, days: tuple[str, ...]) -> None:
    assert of_days(*days, preamble=f"{EXCEL}Time Period,{period}\n") == november(1, 9)


@pytest.mark.parametrize(
    ("days", "preamble", "said"),
    [
        (("11/1/2026", "11/9/2026"), EXCEL, "11/1/2026, and nothing in it shows whether that is 11 January or 1 November"),
        (("11/13/2026", "14/11/2026"), EXCEL, "some of its days are written with the day first"),
        # 1 to 12 November as real dates, read with the month first, and 13 November as text.
        (("2026-01-11", "2026-02-11", "13-11-2026", "2026-01-12"), EXCEL, "not in the order of their times"),
        # 5 and 6 November as real dates, read with the month first, rise as the text does.
        (("2026-05-11", "2026-06-11", "20-11-2026"), EXCEL, "begin with the year, others end with it"),
        (("2026-05-11", "20/11/2026"), EXCEL, "begin with the year, others end with it"),
        (("2026-05-11", "2026-06-11", "2026-20-11"), EXCEL, "some of its days are written with the day first"),
        (("2026-01-11", "2026-02-11"), f"{EXCEL}Time Period,From 01-11-2026 To 02-11-2026\n", "outside the period"),
    ],
)  # fmt: skip
def test_a_file_whose_days_may_be_others_is_refused(days: tuple[str, ...], preamble: str, said: str) -> None:
    with pytest.raises(UnreadableStatement, match=f"(?i){said}.*without saving it in Excel first"):
        of_days(*days, preamble=preamble)


@pytest.mark.parametrize(
    "at",
    ["2026-11-20 12:00:00.0", "2026-11-20T12:00:00", "20-11-2026  12:00", "20-11-2026\u00a012:00", "\u200e20-11-2026 12:00"],
)  # fmt: skip
@pytest.mark.parametrize("receipt", ["UKK1B2C3D4", "\u202aukk1b2c3d4\u202c", "UKK1B2C3D4\u200b\u00a0"])
def test_invisible_characters_change_nothing(at: str, receipt: str) -> None:
    statement = parse(line(receipt, at, paid_in="15,000.00\u200b"))
    assert [
        (transaction.receipt, transaction.at, transaction.amount)
        for transaction in statement.transactions.values()
    ] == [("UKK1B2C3D4", datetime(2026, 11, 20, 9, tzinfo=UTC), Decimal(15000))]


def test_a_file_without_a_line_that_can_be_read_says_why() -> None:
    with pytest.raises(UnreadableStatement, match=r"Line 6: its completion time is not valid\."):
        parse(line(at="11/20/2026 2:05:10 PM"))


@pytest.mark.parametrize("paid_in", ["15,000.00", "KES 15,000.00", "Ksh. 15000", "15000"])
@pytest.mark.parametrize("withdrawn", ["", "0.00", "-"])
def test_amounts_as_spreadsheets_write_them(paid_in: str, withdrawn: str) -> None:
    statement = parse(line(paid_in=paid_in, withdrawn=withdrawn))
    assert [transaction.amount for transaction in statement.transactions.values()] == [Decimal(15000)]


def test_an_amount_in_brackets_is_negative() -> None:
    back = going_out(15000, "Pay Bill Reversal", "UKK1B2C3D4").replace("-15000.00", '"(15,000.00)"')
    assert [returned_payment.amount for returned_payment in parse(line(), back).returns.values()] == [
        Decimal(15000)
    ]


def test_of_two_columns_with_one_name_the_first_counts() -> None:
    header = HEADER.replace("A/C No.", "A/C No.,Receipt No.,Currency")
    statement = parse_statement((PREAMBLE + header + line().strip() + ",,KES\n").encode())
    assert statement.receipts == {"UKK1B2C3D4"}


def test_a_line_that_is_still_to_come_is_not_read_and_leaves_a_gap() -> None:
    future = line("UKK0000002", at="20-12-2026 10:00:00", paid_in="50.00", balance="15050.00")
    statement = parse(line(), future, preamble=EXCEL)
    assert [line.reason for line in statement.unread] == ["its completion time is in the future"]
    assert [transaction.receipt for transaction in statement.transactions.values()] == ["UKK1B2C3D4"]
    assert (statement.gap, statement.ends) == (
        "some lines could not be read",
        datetime(2026, 11, 20, 9, tzinfo=UTC),
    )


@pytest.mark.parametrize(("minutes", "is_read"), [(9, True), (11, False)])
def test_clocks_may_differ_by_minutes_and_nothing_later_than_now_is_proved(
    minutes: int, is_read: bool
) -> None:
    at = f"{(NOW + timedelta(minutes=minutes)).astimezone(NAIROBI):%d-%m-%Y %H:%M:%S}"
    statement = parse(line(), line("UKK0000002", at=at, balance="30000.00"), preamble=EXCEL)
    assert (len(statement.transactions) == 2) is is_read
    assert statement.ends <= NOW


def test_lines_that_are_not_in_the_order_of_their_times_leave_a_gap() -> None:
    days = ("2026-11-03 10:00:00", "2026-11-10 10:00:00", "2026-11-01 10:00:00")
    lines = [
        line(f"UKA000000{number}", at=day, paid_in="100.00", balance=f"{number * 100}.00")
        for number, day in enumerate(days, 1)
    ]
    assert parse(*lines, preamble=EXCEL).gap == "its lines are not in the order of their times"


@pytest.mark.parametrize(
    "below",
    [
        ',,,Totals,,"15,000.00",0.00,\n',
        "Totals,,,,,15000.00,,\n",
        "Disclaimer: This record is produced for your personal use, and is not transferable.\n",
        "Disclaimer\n",
        '"Disclaimer: This ""record"" is ours"\n\n,,,Totals,,1.00,,\n',
        'Printed for "Mama N" Shop, Nairobi\n',
    ],
)
def test_totals_and_remarks_below_the_table_are_no_lines(below: str) -> None:
    statement = parse(line(), below)
    assert (statement.unread, statement.gap, statement.lines) == ((), "", 1)


@pytest.mark.parametrize(
    "between", [",,,Opening balance,,,,15000.00,\n", "Page 2 of 3\n", "Disclaimer\n", ",,,Closing balance\n"]
)
def test_balances_and_remarks_between_the_lines_are_no_lines(between: str) -> None:
    statement = parse(between, line("UKK0000001"), between, line("UKK0000002", balance="30000.00"))
    assert (statement.unread, statement.gap, statement.lines) == ((), "", 2)


def test_a_damaged_line_with_something_for_a_time_is_no_remark() -> None:
    assert parse(line("UKK0000001"), "UKK9,soon,,,,,,,\n", line("UKK0000002", balance="30000.00")).gap


def test_a_damaged_line_among_others_is_not_taken_for_a_remark() -> None:
    statement = parse(line("UKK0000001"), line(receipt="", at="soon"), line("UKK0000002", balance="30000.00"))
    assert [line.reason for line in statement.unread] == ["it has no receipt number"]


def test_a_table_that_goes_on_below_its_header_once_more_is_one_table() -> None:
    statement = parse(line("UKK0000001"), HEADER, line("UKK0000002", balance="30000.00"))
    assert (statement.lines, statement.unread, statement.gap) == (2, (), "")


@pytest.mark.parametrize(
    "details",
    [
        '"Pay Bill from 2547****678 - "MAMA N" SHOP"',
        '"Pay Bill from 2547****678 - MAMA N SHOP',
        '"MAMA "N" SHOP, NAIROBI"',
    ],
)
def test_a_bare_quotation_mark_loses_one_line(details: str) -> None:
    broken = line("UKK0000002", balance="30000.00").replace("Pay Bill from 254712345111 - JANE DOE", details)
    statement = parse(line("UKK0000001"), broken, line("UKK0000003", balance="45000.00"))
    assert [transaction.receipt for transaction in statement.transactions.values()] == [
        "UKK0000001",
        "UKK0000003",
    ]
    assert [(line.number, line.reason) for line in statement.unread] == [
        (7, "its quotation marks do not match")
    ]
    assert statement.gap


def test_a_line_break_within_quotation_marks_is_part_of_its_cell() -> None:
    broken = (
        line("UKK0000001").replace("Pay Bill from", '"Pay Bill\nfrom').replace("JANE DOE,C", 'JANE DOE",C')
    )
    statement = parse(broken, line("UKK0000002", balance="30000.00"))
    assert (statement.lines, statement.unread) == (2, ())


def workbook(*rows: list[object], more: tuple[list[object], ...] = ()) -> bytes:
    """A workbook whose first sheet is empty, and whose second has the rows; a third has `more`."""
    book = Workbook()
    for sheet_rows in (rows, more) if more else (rows,):
        sheet = book.create_sheet()
        for row in sheet_rows:
            sheet.append(row)
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


AS_A_DATE = datetime(2026, 11, 20, 12, tzinfo=UTC).replace(tzinfo=None)
"""Workbooks know no time zones."""
COLUMNS: list[object] = list(HEADER.strip().split(","))


def row(receipt: str, at: object, paid_in: object, balance: object) -> list[object]:
    stated = [receipt, at, at, "Pay Bill", "Completed", paid_in, None, balance]
    return [*stated, True, "Pay Bill", "254712345111 - JANE DOE", None, "EN7F3K9Q1"]


@pytest.mark.parametrize(
    "rows",
    [
        [("20-11-2026 12:00:00", "15,000.00", "15,000.00"), ("20-11-2026 12:00:07", "7.50", "15,007.50")],
        [(AS_A_DATE, 15000, 15000.0), (AS_A_DATE.replace(second=7), 7.5, 15007.5)],
    ],
)
def test_the_workbook_of_the_portal_is_read_as_it_is(rows: list[tuple[object, object, object]]) -> None:
    lines = [row(f"UKK000000{number}", *cells) for number, cells in enumerate(rows)]
    statement = parse_statement(
        workbook(["Short Code", 174379], [], COLUMNS, *lines, [None, None, None, "Totals"])
    )
    first, second = statement.transactions.values()
    assert list(statement.transactions) == [4, 5]
    assert (first.receipt, first.amount, first.bill_reference) == ("UKK0000000", Decimal(15000), "EN7F3K9Q1")
    assert (first.at, second.at) == (
        datetime(2026, 11, 20, 9, tzinfo=UTC),
        datetime(2026, 11, 20, 9, 0, 7, tzinfo=UTC),
    )
    assert (second.amount, statement.gap, "174379" in statement.stated_numbers) == (Decimal("7.5"), "", True)


def test_a_workbook_with_two_statements_is_refused() -> None:
    workbook_row = row("UKK0000001", "20-11-2026 12:00:00", 5, 5)
    with pytest.raises(UnreadableStatement, match="more than one sheet"):
        parse_statement(workbook(COLUMNS, workbook_row, more=(COLUMNS, workbook_row)))


def test_a_workbook_that_unpacks_to_too_much_is_refused() -> None:
    packed = io.BytesIO(workbook(COLUMNS, row("UKK0000001", "20-11-2026 12:00:00", 5, 5)))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet9.xml", b" " * 33 * 1024 * 1024)
    assert len(packed.getvalue()) < 100_000
    with pytest.raises(UnreadableStatement, match="cannot be read, or is too large"):
        parse_statement(packed.getvalue())


@pytest.mark.parametrize("name", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "[Content_Types].xml"])
def test_a_damaged_workbook_is_refused(name: str) -> None:
    sound, damaged = zipfile.ZipFile(io.BytesIO(workbook(COLUMNS))), io.BytesIO()
    with zipfile.ZipFile(damaged, "w") as book:
        for part in sound.namelist():
            book.writestr(part, b"<a><b></a>" if part == name else sound.read(part))
    with pytest.raises(UnreadableStatement, match="Excel workbook"):
        parse_statement(damaged.getvalue())


def going_out(amount: int, details: str, linked: str = "") -> str:
    left = f"{15000 - amount}.00"
    return line(
        "UKR0000009", paid_in="", withdrawn=f"-{amount}.00", balance=left, details=details, linked=linked
    )


@pytest.mark.parametrize(
    ("details", "linked"), [("Pay Bill Reversal", "UKK1B2C3D4"), ("Reversal of UKK1B2C3D4", "")]
)
def test_a_return_names_the_payment_that_it_returns(details: str, linked: str) -> None:
    statement = parse(line(), going_out(15000, details, linked))
    (returned,) = statement.returns.values()
    assert (returned.receipt, returned.amount) == ("UKR0000009", Decimal(15000))
    assert statement.receipts == {"UKK1B2C3D4"} & returned.originals
    assert not statement.transactions


def test_a_payment_of_which_a_part_was_returned_was_received() -> None:
    statement = parse(line(), going_out(5000, "Pay Bill Reversal", "UKK1B2C3D4"))
    assert (len(statement.transactions), len(statement.returns)) == (1, 1)


@pytest.mark.parametrize(
    "details", ["Business Payment Charge", "Reversal Charge of UKK1B2C3D4", "Withdrawal to UKK1B2C3D4"]
)
def test_fees_and_withdrawals_return_no_payment(details: str) -> None:
    statement = parse(line(), going_out(5, details))
    assert (len(statement.transactions), len(statement.returns)) == (1, 0)


def test_a_payer_whose_name_sounds_like_a_return_has_paid() -> None:
    statement = parse(line(details="Pay Bill from 2547****111 - REVERSE LTD Acc. EN7F3K9Q2"))
    assert (len(statement.transactions), len(statement.returns)) == (1, 0)


@pytest.mark.parametrize(
    "content",
    [
        "\n" * 890_000,
        HEADER + "\n" * 890_000,
        HEADER + " \n" * 440_000,
        HEADER + "A,B\n" * 220_000,
        HEADER + '"\n' * 440_000,
        HEADER + '"a' + "\n" * 890_000,
        HEADER + '"' + "x," * 400_000 + "\ny" * 30_000,
        ",,,\n" * 220_000,
    ],
    ids=["empty", "empty below", "blank", "short", "quotes", "open quote", "long cell", "commas"],
)
def test_no_file_of_the_largest_size_takes_long(content: str) -> None:
    started = time.process_time()
    with pytest.raises(UnreadableStatement):
        parse_statement(content[:1_000_000].encode())
    assert time.process_time() - started < 3
