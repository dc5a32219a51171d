"""References for people, tokens for links."""

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from agency_site.ids import (
    ALPHABET,
    certain_reference,
    new_reference,
    parse_id,
    private_token,
    reference_in,
    references_within,
    token_hash,
)
from agency_site.web.middleware.request_ids import AssignRequestId
from agency_site.web.serving.logs import JsonLines


def test_a_reference_can_be_read_out() -> None:
    assert re.fullmatch(f"EQ-[{ALPHABET}]{{6}}", new_reference("EQ"))
    for pair in ("0O", "1I", "1L", "IL", "5S", "2Z", "8B", "UV"):
        assert not set(pair) <= set(ALPHABET)


def test_a_new_reference_leads_to_the_request_that_made_it(caplog: pytest.LogCaptureFixture) -> None:
    scope = {"type": "http", "headers": [], "path": "/"}
    lines = []

    async def create(_scope: Scope, _receive: Receive, _send: Send) -> None:
        lines.append((new_reference("EQ"), JsonLines().format(caplog.records[-1])))

    async def receive() -> Message:
        return {}

    async def send(_message: Message) -> None: ...

    with caplog.at_level("INFO", "agency_site.ids"):
        asyncio.run(AssignRequestId(create)(scope, receive, send))
    [(reference, line)] = lines
    entry = json.loads(line)
    assert reference in entry["message"]
    assert len(entry["request_id"]) > 20


def test_references_hardly_ever_repeat() -> None:
    assert len({new_reference("EQ") for _ in range(500)}) > 495


@given(st.text(), st.text(), st.text())
def test_a_token_is_the_same_for_the_same_and_takes_secret_seed_and_purpose(
    seed: str, secret: str, other: str
) -> None:
    token = private_token("comment", seed, secret)
    assert token == private_token("comment", seed, secret)
    assert re.fullmatch("[A-Za-z0-9_-]{32}", token)
    assert token != private_token("webinar", seed, secret)
    assert token != private_token("comment", seed + "x" + other, secret)
    assert token != private_token("comment", seed, secret + "x" + other)


@given(st.text(st.characters()))
def test_any_text_can_be_looked_up(token: str) -> None:
    assert re.fullmatch("[0-9a-f]{64}", token_hash(token))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("BK-7F3K9Q", "bk-7f3k9q"),
        ("bk7f3k9q", "bk-7f3k9q"),
        ("7f3k9q", "7f3k9q"),
        ("7f3-k9q", "7f3k9q"),
        ("bk-7f3-k9q", "bk-7f3k9q"),
        ("amina@example.com", ""),
        ("7f3k9", ""),
        ("712345678", ""),
        ("EN7F3K9Q12", "en-7f3k9q"),
        ("7f3k9q12", ""),
    ],
)
def test_a_reference_is_known_without_its_dash_or_prefix(word: str, meant: str) -> None:
    assert reference_in(word) == meant


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("EN7F3K9QAMINA", ("EN-7F3K9Q",)),
        ("FORAMINAENEN7F3K9Q", ("EN-EN7F3K", "EN-7F3K9Q")),
        ("EN7F3K9QEN7F3K9Q2EN7F3K9X", ("EN-7F3K9Q", "EN-7F3K9X")),
        ("7F3K9QAMINA", ()),
        ("EN7F3K9", ()),
        ("", ()),
    ],
)
def test_references_are_found_within_a_text(text: str, named: tuple[str, ...]) -> None:
    assert references_within(text, "EN") == named


@pytest.mark.parametrize(
    "word", ["el-haddad", "bk-7f3k9", "bk7f3k9q", "7f3k9q", "bk-7f3k9q2", "b-7f3k9q", "bk-7f3k9o", ""]
)
def test_what_may_be_another_word_is_no_reference_for_certain(word: str) -> None:
    assert certain_reference(word) == ""


def test_every_reference_with_a_digit_is_one_for_certain() -> None:
    references = [new_reference("BK") for _ in range(100)]
    certain = [certain_reference(reference.lower()) for reference in references]
    assert certain == [reference if any(map(str.isdigit, reference)) else "" for reference in references]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", 7),
        ("2147483647", 2**31 - 1),
        ("2147483648", 0),
        ("", 0),
        ("-1", 0),
        ("٣", 0),
        ("9" * 5000, 0),
        (None, 0),
        (7, 0),
        ({}, 0),
    ],
)
def test_only_the_text_of_a_number_is_an_id(value: object, expected: int) -> None:
    assert parse_id(value) == expected
