"""Delays of messages per address."""

from hypothesis import given
from hypothesis import strategies as st
from limits import parse

from agency_site.web.middleware.sockets import MessagePacer

RULE = parse("10/second")


class Moment:
    """A clock that is moved by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_messages_within_the_rule_never_wait() -> None:
    moment = Moment()
    pacer = MessagePacer(moment)
    for _ in range(100):
        assert pacer.seconds_to_wait(RULE, "a") == 0
        moment.now += 0.1


def test_a_burst_passes_and_then_messages_are_spaced() -> None:
    pacer = MessagePacer(Moment())
    waits = [round(pacer.seconds_to_wait(RULE, "a"), 6) for _ in range(13)]
    assert waits[:10] == [0] * 10
    assert waits[10:] == [0.1, 0.2, 0.3]


def test_each_address_has_its_own_pace_and_idle_time_restores_it() -> None:
    moment = Moment()
    pacer = MessagePacer(moment)
    assert [pacer.seconds_to_wait(RULE, "a") > 0 for _ in range(11)][-1]
    assert pacer.seconds_to_wait(RULE, "b") == 0
    moment.now += 2
    assert pacer.seconds_to_wait(RULE, "a") == 0


@given(st.lists(st.floats(0, 3), max_size=60))
def test_no_second_sees_more_than_twice_the_rule(pauses: list[float]) -> None:
    moment = Moment()
    pacer = MessagePacer(moment)
    passed = []
    for pause in pauses:
        moment.now += pause
        passed.append(moment.now + pacer.seconds_to_wait(RULE, "a"))
    for started_at in passed:
        assert sum(started_at <= at < started_at + 1 for at in passed) <= 20


def test_idle_addresses_are_removed() -> None:
    moment = Moment()
    pacer = MessagePacer(moment)
    for number in range(10_001):
        pacer.seconds_to_wait(RULE, str(number))
    moment.now += 60
    pacer.seconds_to_wait(RULE, "last")
    pacer.seconds_to_wait(RULE, "last")
    assert len(pacer._next) == 1
