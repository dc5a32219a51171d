"""Submissions of visitors, stored as their forms would store them."""

import json
import secrets
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime

from agency_site.ids import new_reference
from tests.e2e.conftest import RunningSite
from tests.example_records import WEBINAR

ARTICLE, ARTICLE_TITLE = "digitalmarketing-blog", "Digital marketing for businesses that have no time"


@dataclass(frozen=True)
class Sender:
    """The sender of a stored record, and its reference."""

    reference: str
    email: str
    name: str

    @property
    def row(self) -> str:
        """The label of its checkbox in the list."""
        return f"Select {self.reference}"


def moment() -> str:
    """Return the present time as the database stores it."""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"


def _put(site: RunningSite, table: str, prefix: str, **values: object) -> Sender:
    email = f"visitor-{secrets.token_hex(5)}@example.com"
    sender = Sender(new_reference(prefix), email, str(values.get("fullname", email)))
    found_by = f"{sender.reference} {email} {values.get('fullname', '')}".lower()
    row = {
        "reference": sender.reference,
        "email": email,
        "search": found_by,
        "version": 1,
        "created_at": moment(),
    }
    row |= values
    columns, marks = ", ".join(row), ", ".join("?" for _ in row)
    with closing(site.connect()) as connection:
        connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(row.values()))
    return sender


def wrote(site: RunningSite, subject: str = "A website for my shop", name: str = "Amina Odhiambo") -> Sender:
    """Submit the contact form."""
    return _put(
        site, "enquiries", "EQ", kind="message", state="new", fullname=name, phone="", subject=subject,
        message="How much is it,\nand how long does it take?", details="{}", thread=f"<{secrets.token_hex(8)}@mwanga.example>",
        updated_at=moment(),
    )  # fmt: skip


def signed_up(site: RunningSite, phone: str = "+254712345678") -> Sender:
    """Sign up for a hosting plan."""
    wish = {"plan": "Growth", "domain_type": "new", "domain_name": "honey.co.ke"}
    return _put(
        site, "enquiries", "EQ", kind="signup", state="new", fullname="Brian Otieno", phone=phone, subject="",
        message="", details=json.dumps(wish), thread="", updated_at=moment(),
    )  # fmt: skip


def commented(site: RunningSite, text: str = "We tried this, and it works.") -> Sender:
    """Comment on an article."""
    return _put(
        site, "comments", "CM", article=ARTICLE, fullname="Faith Muthoni", website="", text=text, state="pending",
        token_seed=secrets.token_hex(8), token_hash=secrets.token_hex(32), decided_by="",
    )  # fmt: skip


def subscribed(site: RunningSite) -> Sender:
    """Subscribe to the newsletter."""
    return _put(
        site, "subscribers", "NL", source="footer", state="subscribed", interests='["seo"]',
        token_seed=secrets.token_hex(8),
    )  # fmt: skip


def registered(site: RunningSite, webinar: str = WEBINAR.id) -> Sender:
    """Register for a webinar."""
    return _put(
        site, "webinar_registrations", "WR", webinar=webinar, fullname="Kiprop Lagat", phone="", state="registered",
        token_seed=secrets.token_hex(8), token_hash=secrets.token_hex(32), updated_at=moment(), cancelled_by="",
    )  # fmt: skip


def owes_an_answer(site: RunningSite, email: str) -> str:
    """Store a payment under review; the reference of the order."""
    reference, now = new_reference("EN"), moment()
    with closing(site.connect()) as connection:
        order = connection.execute(
            "INSERT INTO orders (reference, state, first_name, last_name, email, phone, course_slug, course_name,"
            " quantity, unit_price, amount, currency, token_hash, created_at, updated_at, search, version,"
            " client_digest, run_reference, coupon_code, discount, company_name, company_pin, network)"
            " VALUES (?, 'needs_review', 'Amina', 'Odhiambo', ?, '+254712000111', 'google-ads', 'Google Ads', 1, 15000,"
            " 15000, 'KES', ?, ?, ?, '', 1, '', '', '', 0, '', '', '')",
            (reference, email, secrets.token_hex(32), now, now),
        ).lastrowid
        connection.execute(
            "INSERT INTO payments (kind, order_id, attempt_key, account_reference, state, phone, amount, result_code,"
            " result_text, customer_message, created_at, queries, refunded)"
            " VALUES ('prompt', ?, ?, ?, 'needs_review', '254712000111', 15000, '', '', '', ?, 0, 0)",
            (order, secrets.token_hex(16), f"{reference.replace('-', '')}1", now),
        )
    return reference


def state_in(site: RunningSite, table: str, sender: Sender) -> str:
    """Return the state that is stored now."""
    ((state,),) = site.rows(f"SELECT state FROM {table} WHERE reference = ?", sender.reference)
    return str(state)
