"""Every mutant finds the place that it breaks."""

import pytest

from tests.simulation.defects import replace_name, rewrite, skip_call
from tests.simulation.mutants import MUTANTS, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.meaning)
def test_a_mutant_finds_the_place_that_it_breaks(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant.defect(monkeypatch)


def _settle(payments: list[int]) -> list[int]:
    payments.append(1)
    payments.append(2)
    payments.sort()
    return payments


def test_a_defect_lasts_until_its_patch_is_undone() -> None:
    with pytest.MonkeyPatch.context() as patch:
        rewrite(_settle, skip_call("sort"))(patch)
        assert _settle([3]) == [3, 1, 2]
    assert _settle([3]) == [1, 2, 3]


@pytest.mark.parametrize("name", ["append", "reverse"])
def test_a_defect_without_its_one_place_is_an_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LookupError):
        rewrite(_settle, skip_call(name))(monkeypatch)
    with pytest.raises(LookupError):
        replace_name(pytest, name, None)(monkeypatch)
