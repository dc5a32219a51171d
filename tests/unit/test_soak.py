"""The verdicts of the soak test."""

from collections import Counter

from tests.bench.soak.__main__ import Observed, Rest, judge_processes, judge_rest, unexplained
from tests.bench.soak.processes import Sample


def samples(*memory: float) -> list[Sample]:
    return [Sample(second, pss, pss, 50, 40, 2) for second, pss in enumerate(memory)]


def test_memory_that_grows_after_warm_up_is_a_problem_and_before_it_none() -> None:
    warm = Observed({"replica 0": samples(100, 150, 200, 200, 200, 200, 200, 200, 200, 209)})
    grown = Observed({"replica 0": samples(100, 150, 200, 200, 205, 205, 210, 210, 215, 215)})
    assert judge_processes(warm, 10) == []
    assert judge_processes(grown, 10) == ["memory grew by 7.5%"]


def test_only_the_replica_that_is_never_restarted_is_judged() -> None:
    steady, grown = samples(*[100] * 10), samples(*range(100, 200, 10))
    assert judge_processes(Observed({"replica 0": steady, "replica 1": grown}), 10) == []


def at_rest(in_use: int = 5, outside: int = 0, **descriptors: int) -> Rest:
    return Rest(Counter(descriptors), Counter(Redis=in_use), Counter(Redis=outside))


def test_descriptors_that_stay_open_without_visitors_are_a_leak() -> None:
    assert judge_rest(at_rest(clients=2), at_rest(clients=12)) == []
    assert judge_rest(at_rest(clients=2), at_rest(clients=13)) == ["11 descriptors leaked"]


def test_a_connection_is_lost_that_is_not_back_in_its_pool_or_in_none() -> None:
    assert judge_rest(at_rest(Redis=20), at_rest(Redis=70)) == []
    assert judge_rest(at_rest(in_use=6), at_rest(in_use=5)) == []
    assert judge_rest(at_rest(in_use=5), at_rest(in_use=6)) == ["1 connections to Redis were lost"]
    assert judge_rest(at_rest(outside=1), at_rest(outside=3)) == ["2 connections to Redis were lost"]


def test_a_socket_may_be_lost_while_a_replica_is_away_and_shortly_after() -> None:
    assert unexplained([99, 100, 105, 115, 116], [(100, 105)]) == 2
