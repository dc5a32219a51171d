"""The content of the status screen: reports of processes, and verdicts."""

import tomllib
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.backoffice.status import usecases
from agency_site.backoffice.status.state import (
    describe_backup,
    describe_job,
    describe_mpesa,
    describe_outbox,
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


def test_the_status_screen_shows_the_version_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert version == VERSION
    assert describe_versions([process()]).text == f"Version {version}: 1 process, one build"
