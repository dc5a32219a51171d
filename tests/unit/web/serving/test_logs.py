"""A flood of the same warning or error fills no disk and hides no other."""

import json
import logging
import logging.config
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest

from agency_site.web.serving.logs import LimitRepetitions, logging_setup

log = logging.getLogger("agency_site.flooded")
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(configure: Callable[..., object]) -> Iterator[Lines]:
    """The lines that production has written."""
    configure(log_format="json")
    setup, output = logging_setup(), StringIO()
    handler = logging.StreamHandler(output)
    handler.setFormatter(setup["formatters"]["line"]["()"]())
    assert setup["handlers"]["out"]["filters"] == ["repeats"]
    handler.addFilter(setup["filters"]["repeats"]["()"]())
    log.addHandler(handler)
    yield lambda: [json.loads(line) for line in output.getvalue().splitlines()]
    log.removeHandler(handler)


def fail(kind: type[Exception] = ValueError, name: str = "x.y") -> None:
    """Log an error as an event handler does."""
    try:
        raise kind(f"Invalid path: {name}")
    except kind:
        log.exception("an event handler raised an exception")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds since 1970 for new log records."""
    seconds = [1_000.0]
    monkeypatch.setattr("logging.time.time", lambda: seconds[0])
    monkeypatch.setattr("logging.time.time_ns", lambda: int(seconds[0] * 1e9), raising=False)
    return seconds


def test_the_same_error_has_its_traceback_once_a_minute_and_is_counted(
    lines: Lines, clock: list[float]
) -> None:
    for number in range(2000):
        fail(name=str(number))
    assert ["error" in line for line in lines()] == [True] + [False] * 9
    clock[0] += 59
    fail()
    assert len(lines()) == 10
    clock[0] += 1
    fail()
    assert ("error" in lines()[-1], lines()[-1]["left_out"]) == (True, 1991)
    clock[0] += 60
    fail()
    assert "left_out" not in lines()[-1]


def test_another_error_is_written_amid_a_flood(lines: Lines) -> None:
    for _ in range(100):
        fail()
    fail(KeyError)
    log.error("something else: %s", 1)
    assert [line["message"] for line in lines()[10:]] == [
        "an event handler raised an exception",
        "something else: 1",
    ]
    assert "KeyError" in lines()[10]["error"]


def test_warnings_are_limited_by_their_place_and_information_is_not(lines: Lines) -> None:
    log.setLevel(logging.INFO)
    for number in range(50):
        log.warning("a socket message was refused: %s", number)
        log.info("request %s", number)
    log.setLevel(logging.NOTSET)
    levels = [line["level"] for line in lines()]
    assert (levels.count("warning"), levels.count("info")) == (10, 50)


def test_what_is_remembered_does_not_grow_with_what_clients_send() -> None:
    limit = LimitRepetitions()
    for number in range(1000):
        limit.filter(
            logging.makeLogRecord({"levelno": logging.ERROR, "msg": f"broke: {number}", "lineno": 7})
        )
    assert len(limit._kinds) == 1
