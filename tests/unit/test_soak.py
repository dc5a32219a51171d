"""How the soak judges what it has seen."""

from collections import Counter

from tests.bench.soak.__main__ import Observed, judge_descriptors, judge_pools, judge_processes, unexplained
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


def test_descriptors_that_stay_open_without_visitors_are_a_leak() -> None:
    assert judge_descriptors(Counter(Redis=20), Counter(Redis=30)) == []
    assert judge_descriptors(Counter(Redis=20), Counter(Redis=20, clients=11)) == ["11 descriptors leaked"]


def test_a_pool_may_grow_with_a_busy_moment_and_not_without_end() -> None:
    assert judge_pools([Counter(Redis=size) for size in (20, 70, 70, 75)]) == []
    assert judge_pools([Counter(Redis=size) for size in (20, 40, 60, 80)]) == [
        "connections to Redis grew from 40 to 80"
    ]


def test_a_socket_may_be_lost_while_a_replica_is_away_and_shortly_after() -> None:
    assert unexplained([99, 100, 105, 115, 116], [(100, 105)]) == 2
