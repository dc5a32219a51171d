"""A statement of M-Pesa's organisation portal is read in every form in which it is saved, and nothing in it is guessed."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

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
    found = parse(line(paid_in="15,000.00"))
    ((number, one),) = found.transactions.items()
    assert (number, one.receipt, one.amount, one.bill_reference) == (
        6,
        "UKK1B2C3D4",
        Decimal(15000),
        "EN7F3K9Q1",
    )
    assert (one.at, one.phone) == (
        datetime(2026, 11, 20, 9, tzinfo=UTC),
        "254******111",
    )
    assert (found.unread, found.gap, "174379" in found.stated_numbers) == ((), "", True)
    assert "JANE" not in repr(found)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_way_of_saving_it_is_the_same_statement(encoding: str, separator: str, ending: str) -> None:
    text = PREAMBLE + HEADER + line(party="254712345111 - JOSÉ", paid_in="15000.00")
    saved = text.replace('"', "").replace(",", separator).replace("\n", ending)
    found = parse_statement(saved.encode(encoding))
    assert [one.receipt for one in found.transactions.values()] == ["UKK1B2C3D4"]
    assert found.unread == ()


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
        ({"at": "32-11-2026 12:00:00"}, "its completion time is no time"),
        ({"paid_in": "1.500,00"}, "an amount in it is no number"),
        ({"paid_in": "15 000"}, "an amount in it is no number"),
        ({"paid_in": "1e3"}, "an amount in it is no number"),
        ({"paid_in": ""}, "it must have an amount either paid in or withdrawn"),
        ({"withdrawn": "-5.00"}, "it must have an amount either paid in or withdrawn"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_leaves_a_gap(changes: dict[str, str], reason: str) -> None:
    found = parse(line("UKK1B2C3D5"), line(**changes))
    assert [(one.number, one.reason) for one in found.unread] == [(7, reason)]
    assert (len(found.transactions), found.lines) == (1, 2)
    assert found.gap == "lines of it could not be read"


def test_fees_withdrawals_failures_and_money_that_was_returned_are_no_payments() -> None:
    found = parse(
        line("UKK0000001", paid_in="100.00", balance="100.00"),
        line("UKK0000002", paid_in="", withdrawn="-10.00", balance="90.00", details="Business Charge"),
        line("UKK0000003", paid_in="50.00", state="Failed", balance="90.00"),
        line("UKK0000004", paid_in="40.00", balance="130.00"),
        line("UKK0000005", paid_in="", withdrawn="40.00", balance="90.00", details="Pay Bill Reversal", linked="UKK0000004"),
    )  # fmt: skip
    assert [one.receipt for one in found.transactions.values()] == ["UKK0000001"]
    assert (found.lines, found.gap) == (5, "")


def test_the_newest_line_may_come_first() -> None:
    newest = line("UKK0000002", at="20-11-2026 13:00:00", paid_in="50.00", balance="150.00")
    found = parse(newest, line("UKK0000001", paid_in="100.00", balance="100.00"))
    assert found.gap == ""
    assert (found.begins.hour, found.ends.hour) == (9, 10)


@pytest.mark.parametrize(
    ("lines", "gap"),
    [
        (
            [line("UKK0000001", balance="100.00", paid_in="100.00"), line("UKK0000003", balance="300.00", paid_in="100.00")],
            "its balances do not add up, so that lines may be missing",
        ),
        ([line("UKK0000001", balance="")], "it states no balances"),
        ([line("UKK0000001"), line("UKK0000002", state="Pending")], "transactions in it are not completed yet"),
        ([line("UKK0000001", state="Failed")], "it states no balances"),
    ],
)  # fmt: skip
def test_a_statement_that_may_lack_lines_says_so(lines: list[str], gap: str) -> None:
    assert parse(*lines).gap == gap


def test_the_account_is_found_in_the_details_where_its_column_is_empty() -> None:
    found = parse(line(account="", details="Pay Bill from 2547****1111 - JOHN Acc. en-7f3k 9q1"))
    assert [one.bill_reference for one in found.transactions.values()] == ["EN7F3K9Q1"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no M-Pesa statement"),
        (b"name,phone\nJane,0712345678\n", "no M-Pesa statement"),
        (b"PK\x03\x04rest of a workbook", "Excel workbook"),
        (b"%PDF-1.7\n\x00\x01", "no CSV file"),
        (HEADER.encode(), "no line that can be read"),
        (b"Receipt No.,Details\nUKK1B2C3D4,x\n", "lacks 4 of the columns"),
        ((HEADER + '"UKK1B2C3D4,no end of the quotation\n').encode(), "cannot be read from line 2 on"),
        ((HEADER + line() * 10_001).encode(), "more than 10,000 lines"),
    ],
)
def test_anything_else_is_refused_with_the_reason(content: bytes, said: str) -> None:
    with pytest.raises(UnreadableStatement, match=said):
        parse_statement(content)
