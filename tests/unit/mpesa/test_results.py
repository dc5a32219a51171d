"""Result codes: every one of Daraja's list has an outcome and words for the customer."""

import re

import pytest

from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.results import RESULTS, Result, callback_outcome, query_outcome, result_of

OUTCOMES = {
    "0": Outcome.PAID,
    "1": Outcome.FAILED,
    "2": Outcome.FAILED,
    "3": Outcome.FAILED,
    "4": Outcome.FAILED,
    "8": Outcome.FAILED,
    "17": Outcome.FAILED,
    "26": Outcome.FAILED,
    "1001": Outcome.FAILED,
    "1019": Outcome.EXPIRED,
    "1025": Outcome.FAILED,
    "1032": Outcome.CANCELLED,
    "1037": Outcome.EXPIRED,
    "2001": Outcome.FAILED,
    "2006": Outcome.FAILED,
    "2028": Outcome.FAILED,
    "2029": Outcome.UNDECIDED,
    "4999": Outcome.PENDING,
    "8006": Outcome.FAILED,
    "9999": Outcome.FAILED,
    "SFC_IC0003": Outcome.FAILED,
}


def test_every_code_of_the_list_is_classified_once() -> None:
    assert [result.code for result in RESULTS] == list(OUTCOMES)
    assert {result.code: result.outcome for result in RESULTS} == OUTCOMES


def test_only_code_0_says_paid() -> None:
    assert [result.code for result in RESULTS if result.outcome is Outcome.PAID] == ["0"]


@pytest.mark.parametrize("result", [*RESULTS, result_of("nobody knows")], ids=lambda result: result.code)
def test_the_customers_text_is_plain_and_says_what_to_do(result: Result) -> None:
    assert 20 < len(result.text) < 260
    assert not re.search(r"daraja|stk|callback|result code|subscriber|transaction|API\b", result.text, re.I)
    if result.code != "0":
        assert re.search(r"\b(try|contact|check|look|call|do not pay again)\b", result.text, re.I)


def test_codes_caused_by_our_configuration_alert_staff() -> None:
    assert {"2", "8", "2006", "2028", "SFC_IC0003"} <= {result.code for result in RESULTS if result.alert}
    assert not any(result_of(code).alert for code in ("0", "1", "1032", "1037", "2001", "4999"))


def test_codes_after_which_money_has_been_expected_late_are_watched() -> None:
    assert {"1037", "1019", "1025", "9999", "17", "26"} <= {r.code for r in RESULTS if r.watch}


def test_an_unknown_code_ends_an_attempt_in_a_callback_and_decides_nothing_in_a_query() -> None:
    for code in ("31337", "", "2029", "XYZ"):
        assert callback_outcome(code) is Outcome.FAILED
        assert query_outcome(code) is Outcome.UNDECIDED
    assert result_of("31337").alert


def test_known_codes_mean_the_same_in_callback_and_query() -> None:
    for code, outcome in OUTCOMES.items():
        if outcome is not Outcome.UNDECIDED:
            assert callback_outcome(code) is query_outcome(code) is outcome
