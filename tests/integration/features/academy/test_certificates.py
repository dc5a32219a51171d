"""Certificates: issued for attendance, confirmed on a public page, revoked by staff, with or without the learner's name."""

import math
import re
from datetime import timedelta
from io import BytesIO

import httpx
import pytest
from pypdf import PdfReader
from sqlmodel import update

from agency_site import clock
from agency_site.backoffice.lists.search import search_lists
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, NotFound
from agency_site.features.academy.admin.learners.detail import LearnerDetail
from agency_site.features.academy.admin.runs.detail import RunPage
from agency_site.features.academy.certificates.usecases import (
    find_certificate,
    issue_to_learner,
    issue_to_run,
    new_serial,
    revoke_certificate,
)
from agency_site.features.academy.learners.attendance import mark_attendance
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.learners.records import CertificateRecord, find_latest_certificate
from agency_site.features.academy.learners.tables import Certificate, Learner
from agency_site.features.academy.personal_data import LEARNERS
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from agency_site.ids import ALPHABET
from tests.example_records import PAID_COURSE
from tests.integration.backoffice.conftest import enter, find_signed_in, hire, open_tab
from tests.integration.features.academy.learners import (
    BUYER,
    EMAIL,
    buy,
    end_enrolment,
    find_link,
    list_learners,
    list_mails,
)
from tests.integration.features.academy.runs import ACTOR, open_run

pytestmark = pytest.mark.usefixtures("database", "noon")


async def attend_sessions(*counts: int) -> RunRecord:
    """Store a run whose learners have attended as many of its four sessions as `counts` says."""
    run = await open_run()
    token = await buy(len(counts), run.reference)
    others = {
        f"{part}-{number}": value
        for number in range(2, len(counts) + 1)
        for part, value in (("name", f"Learner {number}"), ("email", f"learner{number}@example.com"))
    }
    async with session_scope() as session:
        await name_learners(session, token, others)
    rows = await list_learners()
    with clock.frozen(run.ends_at):
        async with session_scope() as session:
            meetings = await records.list_sessions(session, run.id)
            for row, count in zip(rows, counts, strict=True):
                for meeting in meetings[:count]:
                    await mark_attendance(
                        session, run.reference, meeting.id, row.reference, ACTOR, attended=True
                    )
    return run


async def issue(run: RunRecord) -> int:
    with clock.frozen(run.ends_at + timedelta(hours=1)):
        async with session_scope() as session:
            return await issue_to_run(session, run.reference, ACTOR)


async def find_certificate_of(number: int = 0) -> CertificateRecord:
    """Return the last certificate of the learner at that index of `list_learners`."""
    row = (await list_learners())[number]
    async with read_scope() as session:
        find_signed_in = await find_latest_certificate(session, row.id or 0)
    assert find_signed_in
    return find_signed_in


async def revoke(certificate: CertificateRecord) -> None:
    async with session_scope() as session:
        await revoke_certificate(
            session, (await list_learners())[0].reference, certificate.serial, "Issued by mistake", ACTOR
        )


async def test_a_learner_who_attended_three_of_four_sessions_gets_one_certificate() -> None:
    run = await attend_sessions(3, 2, 4)
    assert await issue(run) == 2
    first = await find_certificate_of()
    assert re.fullmatch(r"CT(-\w{6}){5}", first.serial)
    assert (first.fullname, first.course_name, first.hours) == (BUYER, PAID_COURSE.payment_name, "6")
    assert [mail.to for mail in await list_mails("certificate-issued")] == [EMAIL, "learner3@example.com"]
    with pytest.raises(Conflict, match="due a certificate"):
        await issue(run)
    with clock.frozen(run.ends_at), pytest.raises(Conflict, match="not attended enough"):
        async with session_scope() as session:
            await issue_to_learner(session, (await list_learners())[1].reference, ACTOR)


async def test_no_certificate_is_issued_before_the_last_session_is_over() -> None:
    run = await attend_sessions(4)
    with clock.frozen(run.ends_at - timedelta(minutes=1)), pytest.raises(Conflict, match="is over"):
        async with session_scope() as session:
            await issue_to_run(session, run.reference, ACTOR)


async def test_a_revoked_certificate_is_issued_again_for_its_learner_only() -> None:
    run = await attend_sessions(4)
    await issue(run)
    first = await find_certificate_of()
    await revoke(first)
    with pytest.raises(Conflict, match="another member of staff has revoked"):
        await revoke(first)
    with pytest.raises(Conflict):
        await issue(run)
    with clock.frozen(run.ends_at):
        async with session_scope() as session:
            await issue_to_learner(session, (await list_learners())[0].reference, ACTOR)
    second = await find_certificate_of()
    assert (second.serial != first.serial, second.is_valid) == (True, True)
    async with read_scope() as session:
        assert not (await find_certificate(session, first.serial)).is_valid
        with pytest.raises(NotFound):
            await find_certificate(session, "CT-7F3K9Q-2M4XWB")


async def test_the_public_page_confirms_a_certificate_until_it_is_revoked(visitor: httpx.AsyncClient) -> None:
    run = await attend_sessions(4)
    await issue(run)
    certificate = await find_certificate_of()
    page = await visitor.get(f"/certificate/{certificate.serial}")
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    for visible in ("This certificate is valid", BUYER, PAID_COURSE.payment_name, "8 hours"):
        assert visible in page.text
    await revoke(certificate)
    page = await visitor.get(f"/certificate/{certificate.serial}")
    assert "This certificate is not valid" in page.text
    for invisible in (BUYER, "Issued by mistake"):
        assert invisible not in page.text
    assert (await visitor.get("/certificate/CT-7F3K9Q-2M4XWC")).status_code == 404
    assert (await visitor.get(f"/certificate/{certificate.short_serial}")).status_code == 404
    assert (await visitor.get(f"/learner/{await find_link()}/certificate.pdf")).status_code == 404


async def test_the_pdf_has_the_issued_facts_and_the_same_bytes_each_time(
    visitor: httpx.AsyncClient,
) -> None:
    run = await attend_sessions(4)
    address = f"/learner/{await find_link()}/certificate.pdf"
    assert (await visitor.get(address)).status_code == 404
    await issue(run)
    certificate = await find_certificate_of()
    first, again = await visitor.get(address), await visitor.get(address)
    assert first.content == again.content
    assert first.headers["content-type"] == "application/pdf"
    text = " ".join(PdfReader(BytesIO(first.content)).pages[0].extract_text().split())
    for fact in (
        BUYER,
        PAID_COURSE.payment_name,
        "8 hours",
        f"Number {certificate.short_serial} Check it at",
    ):
        assert fact in text
    assert f"/certificate/{certificate.serial}" in text
    assert certificate.short_serial in first.headers["content-disposition"]


async def test_a_number_has_128_random_bits_and_an_earlier_one_still_opens_its_page(
    visitor: httpx.AsyncClient,
) -> None:
    assert sum(len(group) for group in new_serial().split("-")[1:]) * math.log2(len(ALPHABET)) > 128
    await issue(await attend_sessions(4))
    async with session_scope() as session:
        await session.exec(update(Certificate).values(serial="CT-7F3K9Q-2M4XWC"))
    page = await visitor.get("/certificate/ct-7f3k9q-2m4xwc")
    assert "This certificate is valid" in page.text
    assert (await find_certificate_of()).short_serial == "CT-7F3K9Q-2M4XWC"


async def test_a_learner_hides_the_name_on_the_public_page_and_shows_it_again(
    visitor: httpx.AsyncClient,
) -> None:
    run = await attend_sessions(4)
    await issue(run)
    public, private = f"/certificate/{(await find_certificate_of()).serial}", f"/learner/{await find_link()}"
    assert "Hide my name on that page" in (await visitor.get(private)).text
    for value, is_shown in (("no", False), ("junk", False), ("yes", True)):
        answer = await visitor.post(f"{private}/certificate-name", data={"sent": "yes", "shown": value})
        result = answer.headers["location"]
        assert (answer.status_code, result.partition("=")[0]) == (303, f"{private}?name")
        said = "now shows your name" if is_shown else "no longer shows your name"
        assert said in (await visitor.get(result)).text
        assert said not in (await visitor.get(f"{private}?name")).text
        assert (BUYER in (await visitor.get(public)).text) is is_shown
        assert PAID_COURSE.payment_name in (await visitor.get(public)).text
    assert (await visitor.post("/learner/nobody/certificate-name", data={"sent": "yes"})).status_code == 404


async def test_a_certificate_is_exported_and_loses_its_name_with_the_learner(
    visitor: httpx.AsyncClient,
) -> None:
    run = await attend_sessions(4)
    await issue(run)
    certificate = await find_certificate_of()
    async with session_scope() as session:
        (record,) = await LEARNERS.export(session, EMAIL, "")
        await LEARNERS.erase(session, EMAIL, "", ACTOR)
    assert [exported["serial"] for exported in record["certificates"]] == [certificate.serial]  # type: ignore[attr-defined]
    page = await visitor.get(f"/certificate/{certificate.serial}")
    assert "This certificate is valid" in page.text
    assert BUYER not in page.text


async def test_staff_see_who_gets_a_certificate_before_they_issue_them() -> None:
    run = await attend_sessions(4, 1)
    with clock.frozen(run.ends_at):
        await hire()
        tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
        await tab.run("ask_to_issue")
        assert (tab.state.earning, await list_mails("certificate-issued")) == ([f"{BUYER}, {EMAIL}"], [])
        await tab.run("issue_certificates")
        assert tab.state.done == "1 certificate issued. Its learner gets an e-mail."
        assert [(line.attended, line.certificate) for line in tab.state.learners] == [
            ("4 of 4", (await find_certificate_of()).serial), ("1 of 4", "")
        ]  # fmt: skip


async def test_staff_issue_and_revoke_certificates() -> None:
    run = await attend_sessions(4)
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    await tab.run("ask_to_issue")
    assert "last session is over" in tab.state.problem
    await issue(run)
    reference = (await list_learners())[0].reference
    tab = await open_tab(LearnerDetail, f"/admin/learner?ref={reference}")
    serial = (await find_certificate_of()).serial
    assert (tab.state.facts["certificate"], tab.state.facts["attended"]) == (serial, "4 of 4 sessions")
    await tab.run("begin_revocation")
    junk: object
    for junk in ({}, {"reason": ""}, {"reason": 7}, None, []):
        await tab.run("revoke_certificate", form=junk)
        assert "reason" in tab.state.errors
    await tab.run("revoke_certificate", form={"reason": "Issued by mistake"})
    assert (tab.state.panel, tab.state.facts["reason"]) == ("", "Issued by mistake")
    await tab.run("issue_certificate")
    assert "last session is over" in tab.state.problem


@pytest.mark.each_database
async def test_the_search_finds_a_learner_by_the_number_of_the_certificate() -> None:
    run = await attend_sessions(4, 4)
    await issue(run)
    await hire()
    who = await find_signed_in((await enter()).token)
    assert who is not None
    serial = (await find_certificate_of()).serial
    for words in (
        serial,
        serial.lower().replace("-", ""),
        serial[:16],
        serial.replace("-", " "),
        serial[3:16],
    ):
        rows = {definition.name: rows for definition, rows in await search_lists(words, who)}
        assert [row.Learner.fullname for row in rows["learners"]] == [BUYER], words
    # Characters that may be the first two groups of a serial number may also be a name.
    async with session_scope() as session:
        await session.exec(update(Learner).values(search="ln-7f3k9q kange kamatha"))
    rows = {definition.name: rows for definition, rows in await search_lists("Kange Kamatha", who)}
    assert len(rows["learners"]) == len(await list_learners())
    rows = {definition.name: rows for definition, rows in await search_lists(f"{serial}7", who)}
    assert list(rows["learners"]) == []


async def test_a_refund_revokes_no_certificate() -> None:
    run = await attend_sessions(4)
    await issue(run)
    await end_enrolment()
    async with read_scope() as session:
        assert (await find_certificate(session, (await find_certificate_of()).serial)).is_valid
