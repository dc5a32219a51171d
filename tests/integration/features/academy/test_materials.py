"""Materials and recordings: staff add them, learners open them, and recordings are mailed once."""

import httpx
import pytest
from sqlmodel import select

from agency_site.db.engine import read_scope
from agency_site.features.academy.admin.runs.detail import RunPage
from agency_site.features.academy.runs.tables import RunMaterial
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.academy.learners import EMAIL, buy, end_enrolment, find_link, list_mails
from tests.integration.features.academy.runs import open_run

pytestmark = pytest.mark.usefixtures("database", "noon")

HANDOUT = {"kind": "material", "title": "Handout", "address": "https://files.example.com/handout.pdf"}
RECORDING = {
    "kind": "recording",
    "title": "Session 1 <live>",
    "address": "https://video.example.com/1?a=1&b=2",
}


async def stored() -> list[RunMaterial]:
    async with read_scope() as session:
        return list(await session.exec(select(RunMaterial)))


async def learner_page(visitor: httpx.AsyncClient) -> str:
    return (await visitor.get(f"/learner/{await find_link()}")).text


async def test_learners_see_added_materials_and_get_mails_about_recordings(
    visitor: httpx.AsyncClient,
) -> None:
    run = await open_run()
    await buy(2, run.reference)
    assert "Materials and recordings" not in await learner_page(visitor)
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    for form in (HANDOUT, RECORDING):
        await tab.run("add_material", form={**form, "notify": "on"})
        assert tab.state.done.startswith("Added")
    page = await learner_page(visitor)
    assert "Materials and recordings" in page
    assert 'href="https://files.example.com/handout.pdf"' in page
    assert "Session 1 &lt;live&gt;" in page
    (mail,) = await list_mails("recording-added")
    assert (mail.to, mail.subject) == (EMAIL, "Recording: Session 1 <live>")
    assert [line.kind for line in tab.state.materials] == ["Material", "Recording"]
    assert tab.state.lines[0].words == RECORDING["title"]


async def test_a_recording_that_is_removed_and_added_again_is_mailed_once(visitor: httpx.AsyncClient) -> None:
    run = await open_run()
    await buy(run=run.reference)
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    await tab.run("add_material", form={**RECORDING, "notify": "on"})
    await tab.run("remove_material", material_id=tab.state.materials[0].id)
    assert "Materials and recordings" not in await learner_page(visitor)
    await tab.run("add_material", form={**RECORDING, "title": "Session 1", "notify": "on"})
    assert (len(tab.state.materials), len(await list_mails("recording-added"))) == (1, 1)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"kind": "film"}, {"kind"}),
        ({"title": "", "address": ""}, {"title", "address"}),
        ({"address": "http://files.example.com/a"}, {"address"}),
        ({"address": "https://"}, {"address"}),
        ({"address": "https://[nobody"}, {"address"}),
        ({"address": "javascript:alert(1)"}, {"address"}),
        ({"title": "x" * 121}, {"title"}),
    ],
)
async def test_bad_input_is_named_at_its_field(changes: dict[str, str], wrong: set[str]) -> None:
    run = await open_run()
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    await tab.run("begin_material")
    await tab.run("add_material", form={**HANDOUT, **changes})
    assert (set(tab.state.errors), tab.state.panel, await stored()) == (wrong, "material", [])


async def test_a_run_has_an_address_once_and_removes_only_its_own_materials() -> None:
    run, other = await open_run(), await open_run()
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    await tab.run("add_material", form=HANDOUT)
    await tab.run("add_material", form={**HANDOUT, "title": "Again"})
    assert set(tab.state.errors) == {"address"}
    elsewhere = await open_tab(RunPage, f"/admin/run?ref={other.reference}")
    for junk in (tab.state.materials[0].id, "", "x", None, -1):
        await elsewhere.run("remove_material", material_id=junk)
    assert len(await stored()) == 1


async def test_a_learner_whose_place_has_ended_sees_no_materials(visitor: httpx.AsyncClient) -> None:
    run = await open_run()
    await buy(run=run.reference)
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    await tab.run("add_material", form=HANDOUT)
    await end_enrolment()
    assert "handout.pdf" not in await learner_page(visitor)
    await tab.run("add_material", form={**RECORDING, "notify": "on"})
    assert await list_mails("recording-added") == []
