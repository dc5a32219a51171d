"""The content of the status screen: reports of processes, and verdicts."""

import tomllib
from collections.abc import Callable
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.backoffice.status import usecases
from agency_site.backoffice.status.state import (
    describe_backup,
    describe_job,
    describe_mpesa,
    describe_outbox,
    describe_texts,
    describe_versions,
    last_successes,
)
from agency_site.backoffice.status.tables import ServerProcess
from agency_site.backoffice.status.usecases import list_processes, report_process
from agency_site.build_stamp import VERSION
from agency_site.db.engine import read_scope
from agency_site.metrics import job_last_success
from agency_site.settings import ROOT
from tests.conftest import FRIDAY_NOON

EPOCH = FRIDAY_NOON.timestamp()


def process(build: str = "a", answer: float = 0, failure: float = 0, **jobs: float) -> ServerProcess:
    return ServerProcess(
        id=build, host="app", process_id=1, build=build, started_at=FRIDAY_NOON, seen_at=FRIDAY_NOON,
        mpesa_answer=answer, mpesa_failure=failure, jobs=jobs,
    )  # fmt: skip


async def stored() -> list[ServerProcess]:
    async with read_scope() as session:
        return list(await list_processes(session))


@pytest.mark.usefixtures("database")
async def test_a_process_reports_itself_in_one_row_and_old_ones_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job_last_success.labels("a_job_of_this_test").set(EPOCH)
    with clock.frozen(FRIDAY_NOON) as move:
        await report_process()
        move(FRIDAY_NOON + timedelta(minutes=1))
        await report_process()
        (own,) = await stored()
        assert own.seen_at == FRIDAY_NOON + timedelta(minutes=1)
        assert own.jobs["a_job_of_this_test"] == EPOCH
        monkeypatch.setattr(usecases, "_identity", "another")
        move(FRIDAY_NOON + timedelta(days=2))
        await report_process()
    assert [process.id for process in await stored()] == ["another"]


@pytest.mark.usefixtures("noon")
def test_subjects_that_need_attention_are_marked() -> None:
    moments = (None, FRIDAY_NOON - timedelta(days=1), FRIDAY_NOON - timedelta(days=2))
    assert [describe_backup(at).tone for at in moments] == ["bad", "good", "bad"]
    assert [describe_job("poll", EPOCH - age).tone for age in (60, 3600)] == ["good", "bad"]
    reports = (process(), process(answer=EPOCH), process(answer=EPOCH - 9, failure=EPOCH))
    assert [describe_mpesa([report]).tone for report in reports] == ["quiet", "good", "bad"]
    assert describe_versions([process("a"), process("a")]).tone == "good"
    assert describe_versions([process("a"), process("b")]).text.endswith(": 2 processes, 2 builds")
    assert last_successes([process(x=1, y=5), process(x=3)]) == {"x": 3, "y": 5}


@pytest.mark.parametrize(("age", "failed", "tone"), [(60.0, 0, "good"), (3600.0, 0, "bad"), (60.0, 1, "bad")])
def test_old_and_failed_mail_is_marked(age: float, failed: int, tone: str) -> None:
    outbox = {
        ("agency_outbox_messages", "queued"): 2.0,
        ("agency_outbox_messages", "failed"): failed,
        ("agency_outbox_oldest_seconds",): age,
    }
    line = describe_outbox(outbox)
    assert (line.text, line.tone) == (
        f"2 queued, {failed} failed; the oldest is {int(age // 60)} min old",
        tone,
    )


@pytest.mark.parametrize(
    ("age", "empty", "text", "tone"),
    [
        (60.0, 0, "2 queued, 1 failed, 3 unknown; KES 1,250.40 today", "good"),
        (3600.0, 0, "2 queued, 1 failed, 3 unknown; KES 1,250.40 today", "bad"),
        (
            60.0,
            1,
            "The account at Africa's Talking is empty: 2 queued. Pay in, and they are sent within minutes",
            "bad",
        ),
    ],
)
def test_overdue_text_messages_and_an_empty_account_are_marked(
    age: float, empty: float, text: str, tone: str
) -> None:
    figures = {
        ("agency_sms_messages", "queued"): 2.0,
        ("agency_sms_messages", "failed"): 1.0,
        ("agency_sms_messages", "unknown"): 3.0,
        ("agency_sms_oldest_seconds",): age,
        ("agency_sms_cost_today",): 1250.4,
        ("agency_sms_account_empty",): empty,
    }
    line = describe_texts(figures)
    assert (line.text, line.tone) == (text, tone)


def test_without_a_provider_the_status_screen_says_so(configure: Callable[..., object]) -> None:
    configure(env="production")
    assert describe_texts({}).tone == "quiet"


def test_the_status_screen_shows_the_version_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert version == VERSION
    assert describe_versions([process()]).text == f"Version {version}: 1 process, one build"
