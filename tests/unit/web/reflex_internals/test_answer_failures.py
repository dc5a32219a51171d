"""Contract of `answer_failures.py`."""

from tests.unit.web.reflex_internals.contract import contract, template


def test_answers_that_cannot_be_handled_are_exceptions() -> None:
    with contract("state.js logs a failed update, and disconnects after an answer that it cannot read"):
        from agency_site.web.reflex_internals.answer_failures import report_answers

        patched = report_answers(template("utils", "state.js"))
        assert patched.count("reportError(") == 2
        assert report_answers(patched) == patched
