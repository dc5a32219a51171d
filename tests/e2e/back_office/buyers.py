"""People who pay at the site itself, and what the tests of the money screens look up."""

import json
import secrets
import subprocess
import sys
import urllib.request
from contextlib import closing
from dataclasses import dataclass

import httpx

from agency_site.clock import in_nairobi, now
from tests.e2e.conftest import RunningSite
from tests.example_records import PAID_COURSE
from tests.servers import bare_environment

COURSE, PRICE = PAID_COURSE.payment_name, PAID_COURSE.payment_price


@dataclass(frozen=True)
class Buyer:
    """A buyer who has started a payment; M-Pesa has said all that it says by itself."""

    reference: str
    email: str
    phone: str

    @property
    def file(self) -> str:
        """Return the path of the order's page."""
        return f"/admin/order?ref={self.reference}"


def buyer(site: RunningSite, last: str = "111", *, places: int = 1) -> Buyer:
    """Place an order over HTTP from a phone that ends in these digits, which choose what happens on it."""
    middle = f"{secrets.randbelow(900) + 100} {secrets.randbelow(900) + 100}"
    phone, email = f"07{middle[1:]} {last}", f"buyer-{secrets.token_hex(5)}@example.com"
    body = {
        "firstName": "Naliaka", "lastName": "Barasa", "email": email, "phone": phone, "courseName": COURSE,
        "amount": PRICE * places,
    }  # fmt: skip
    request = urllib.request.Request(
        f"{site.url}/api/stkpush", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        reference = json.load(answer)["reference"]
    settled(site)
    return Buyer(reference, email, phone)


def settled(site: RunningSite) -> None:
    """Wait until no customer has to decide and no callback is on its way."""
    with urllib.request.urlopen(f"{site.simulator}/control/settled?timeout=20", timeout=30) as answer:
        assert json.load(answer)["settled"]


def read_states(site: RunningSite, order: Buyer) -> tuple[object, ...]:
    """State of the order, receipt and refund of its payment, how many enrolments it has and how many of them ended."""
    (row,) = site.rows(
        "SELECT o.state, p.receipt, max(r.reference), count(DISTINCT e.id), count(DISTINCT e.ended_at) FROM orders o"
        " JOIN payments p ON p.order_id = o.id LEFT JOIN enrolments e ON e.order_id = o.id"
        " LEFT JOIN refunds r ON r.payment_id = p.id"
        " WHERE o.reference = ? GROUP BY o.id",
        order.reference,
    )
    return row


def write_statement(*lines: tuple[str, str, int]) -> str:
    """Return a statement in the format of M-Pesa's portal: receipt, account number and amount of payments just received."""
    columns = (
        "Receipt No.,Completion Time,Initiation Time,Details,Transaction Status,Paid In,Withdrawn,Balance,"
        "Balance Confirmed,Reason Type,Other Party Info,Linked Transaction ID,A/C No."
    )
    at, balance = f"{in_nairobi(now()):%d-%m-%Y %H:%M:%S}", 0
    rows = ["Organisation Name,Example", "Short Code,174379", columns]
    for receipt, account, amount in lines:
        balance += amount
        rows.append(
            f'{receipt},{at},{at},Pay Bill,Completed,"{amount:,}.00",,"{balance:,}.00",true,Pay Bill,'
            f"2547****1111 - JANE DOE,,{account}"
        )
    return "\n".join(rows) + "\n"


def imported(site: RunningSite, cookie: str) -> str:
    """Import a statement with a payment that belongs to no order; return the path of the screen with the result."""
    content = write_statement((f"UK{secrets.token_hex(4).upper()}", "RENT", 1_500))
    answer = httpx.post(
        f"{site.url}/admin/statements/import",
        files={"statement": ("statement.csv", content)},
        headers={"Cookie": cookie, "Origin": site.url},
    )
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def pay_by_hand(site: RunningSite, account: str, amount: int) -> str:
    """Pay to the Paybill with that account number; M-Pesa's receipt."""
    own = {"AGENCY_MPESA_BASE_URL": site.simulator, "AGENCY_MPESA_CALLBACK_URL": site.url}
    command = [sys.executable, "-m", "agency_site.mpesa.registration", "paybill"]
    subprocess.run(command, env=bare_environment() | own, check=True, timeout=60, capture_output=True)
    answer = httpx.post(
        f"{site.simulator}/control/paybill", json={"account": account, "amount": amount}, timeout=30
    )
    done = answer.raise_for_status().json()
    assert done["confirmations"] == ["200"], done
    return str(done["receipt"])


def stored_coupon(site: RunningSite) -> str:
    """Store a coupon; return its code."""
    code, at = f"TEST-{secrets.token_hex(4).upper()}", now().strftime("%Y-%m-%d %H:%M:%S.%f")
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO coupons (code, percent, course_slug, run_reference, used, version, created_at, updated_at)"
            " VALUES (?, 10, '', '', 0, 1, ?, ?)",
            (code, at, at),
        )
    return code
