"""The library of pictures: its list shows where each is used, its page describes, crops and deletes."""

from typing import Any

import httpx
import pytest
from sqlmodel import select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import attention_count, count_of, page_of
from agency_site.backoffice.lists.state import Line, lines_of
from agency_site.backoffice.record_page import RecordState
from agency_site.backoffice.records import EDIT
from agency_site.clock import now
from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.editing.admin.pictures.record import PICTURES
from agency_site.features.editing.admin.pictures.upload import PictureUploads
from agency_site.features.editing.entries.previews import find_preview, preview_path
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.staff_usecases import (
    list_versions,
    publish_entry,
    restore_version,
    save_entry,
)
from agency_site.features.editing.entries.tables import ContentEntry
from agency_site.features.editing.entries.usecases import list_overlays, read_stamp
from agency_site.features.editing.pictures.records import PictureRecord
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.editing.conftest import stored
from tests.pictures import drawing, photo
from tests.records import edit

EDITOR = "amina@mwanga.example"


async def add_entry(slug: str, document: dict[str, Any], published: dict[str, Any] | None = None) -> None:
    moment = now()
    async with session_scope() as session:
        session.add(
            ContentEntry(
                kind=Kind.ARTICLE, slug=slug, title=slug.title(), state=EntryState.DRAFT, document=document,
                published_document=published, editor=EDITOR, created_at=moment, updated_at=moment,
            )
        )  # fmt: skip


async def open_page(picture: PictureRecord, role: Role = Role.EDITOR, email: str = EDITOR) -> Tab:
    await hire(email, role)
    page = Tab(RecordState, (await enter(email)).token, f"/admin/picture?id={picture.id}")
    await page.run("open_record")
    return page


async def list_lines(**query: str) -> list[Line]:
    parsed = read_query(PICTURES.definition, query)
    async with read_scope() as session:
        rows = await page_of(session, PICTURES.definition, parsed)
        assert await count_of(session, PICTURES.definition, parsed) == len(rows)
    return lines_of(PICTURES.definition, parsed, rows)


async def texts(**query: str) -> list[dict[str, str]]:
    return [{field.label: field.text for field in line.fields} for line in await list_lines(**query)]


@pytest.mark.each_database
async def test_the_list_shows_each_picture_with_its_uses_the_latest_first(staff: httpx.AsyncClient) -> None:
    first = await stored(staff, photo(), "team.jpg", alt="Our team")
    second = await stored(staff, drawing("<path d='M0 0'/>"), "logo.svg", decorative="on")
    await add_entry("news", {"cover": first.address.src}, {"body": f"![Team]({first.address.src})"})
    await add_entry("old", {}, {"cover": first.address.src})
    await add_entry("other", {"cover": "/art/x.webp"})
    rows = await texts()
    assert [(row["Picture"], row["Description"], row["Used in"]) for row in rows] == [
        ("logo.svg", "Decorative", "0"),
        ("team.jpg", "Our team", "2"),
    ]
    assert [row["Size"] for row in rows] == ["40 × 20", "640 × 360"]  # noqa: RUF001 - the sign of multiplication
    lines = await list_lines()
    assert [line.fields[0].picture for line in lines] == [
        second.address.src,
        f"/pictures/{first.digest}/480.webp",
    ]
    assert lines[1].href == f"/admin/picture?id={first.id}"


async def test_the_list_is_searched_filtered_and_exported(staff: httpx.AsyncClient) -> None:
    await stored(staff, photo(), "team.jpg", alt="Our team")
    await stored(staff, photo((100, 100)), "door.jpg")
    await stored(staff, photo((100, 200)), "pattern.jpg", decorative="on")
    for query, name in {"q=TEAM": "team.jpg", "description=missing": "door.jpg", "description=decorative": "pattern.jpg",
                        "description=described": "team.jpg", "q=door.jpg": "door.jpg"}.items():  # fmt: skip
        key, _, value = query.partition("=")
        assert [row["Picture"] for row in await texts(**{key: value})] == [name]
    async with read_scope() as session:
        assert await attention_count(session, PICTURES.definition) == 1
    everything = read_query(PICTURES.definition, {})
    text = b"".join([chunk async for chunk in lines_of_export(PICTURES.definition, everything)]).decode(
        "utf-8-sig"
    )
    assert text.count("\n") == 4
    assert "team.jpg" in text


async def test_a_new_picture_is_described_at_once(staff: httpx.AsyncClient) -> None:
    page = await open_page(await stored(staff, photo()))
    assert page.state.panel == EDIT
    await page.run("run", key=EDIT, form={"alt": " ", "focus_x": "200", "focus_y": "50"})
    assert set(page.state.errors) == {"focus_x"}
    await page.run("run", key=EDIT, form={"alt": " ", "focus_x": "20", "focus_y": "80"})
    assert page.state.errors == {"alt": "Describe what the picture shows, or mark it as decorative."}
    await page.run("run", key=EDIT, form={"alt": "Our team", "focus_x": "20", "focus_y": "80"})
    assert (page.state.done, page.state.panel, page.state.facts["state"]) == ("Saved.", "", "Described")
    facts = {fact.label: fact.text for fact in page.state.details}
    assert facts["Address"].endswith("#20,80")
    async with read_scope() as session:
        assert (await session.exec(select(AuditEntry).where(AuditEntry.action == "picture.edited"))).one()


async def test_a_decorative_picture_needs_no_text(staff: httpx.AsyncClient) -> None:
    page = await open_page(await stored(staff, photo(), alt="Team"))
    assert page.state.panel == ""
    await page.run("ask", key=EDIT)
    assert page.state.draft == {"alt": "Team", "is_decorative": "", "focus_x": "50", "focus_y": "50"}
    await page.run(
        "run", key=EDIT, form={"alt": "Pattern", "is_decorative": "on", "focus_x": "50", "focus_y": "50"}
    )
    assert (page.state.facts["state"], page.state.facts["alt"]) == ("Decorative", "")


async def test_two_editors_change_different_fields_and_both_are_saved(staff: httpx.AsyncClient) -> None:
    picture = await stored(staff, photo(), alt="Team")
    first = await open_page(picture)
    second = await open_page(picture, email="brian@mwanga.example")
    for page in (first, second):
        await page.run("ask", key=EDIT)
    await first.run("run", key=EDIT, form={"alt": "Our team", "focus_x": "50", "focus_y": "50"})
    await second.run("run", key=EDIT, form={"alt": "Team", "focus_x": "10", "focus_y": "50"})
    facts = {fact.label: fact.text for fact in second.state.details}
    assert (facts["Description"], facts["Focal point"]) == (
        "Our team",
        "10 % from the left, 50 % from the top",
    )
    await first.run("ask", key=EDIT)
    await second.run("ask", key=EDIT)
    await first.run("run", key=EDIT, form={"alt": "First", "focus_x": "10", "focus_y": "50"})
    await second.run("run", key=EDIT, form={"alt": "Second", "focus_x": "10", "focus_y": "50"})
    assert [conflict.label for conflict in second.state.conflicts] == ["Description"]


async def test_a_picture_that_is_used_says_where_and_cannot_be_deleted(staff: httpx.AsyncClient) -> None:
    picture = await stored(staff, photo(), alt="Team")
    page = await open_page(picture)
    await page.run("ask", key="delete")
    assert page.state.panel == "delete"
    await add_entry("news", {"cover": picture.address.src})
    await page.run("run", key="delete", form={})
    assert "still used, by “News”" in page.state.problem
    await page.run("refresh")
    assert [line.label for line in page.state.related["uses"]] == ["Article: News"]
    assert page.state.possible == [EDIT]


async def test_an_unused_picture_is_deleted_and_leaves_the_list(staff: httpx.AsyncClient) -> None:
    picture = await stored(staff, photo(), alt="Team")
    page = await open_page(picture)
    assert await page.run("run", key="delete", form={}) is not None
    assert await texts() == []
    async with read_scope() as session:
        entry = (await session.exec(select(AuditEntry).where(AuditEntry.action == "picture.deleted"))).one()
    assert (entry.reference, entry.detail) == (str(picture.id), picture.digest)


@pytest.mark.parametrize("key", [EDIT, "delete"])
@pytest.mark.parametrize("handler", ["ask", "run"])
async def test_a_viewer_sees_a_picture_and_changes_nothing(
    staff: httpx.AsyncClient, handler: str, key: str
) -> None:
    page = await open_page(await stored(staff, photo()), Role.VIEWER)
    assert (page.state.facts["heading"], page.state.panel) == ("IMG_1.jpg", "")
    arguments = {"form": {"alt": "Other"}} if handler == "run" else {}
    await page.run(handler, key=key, **arguments)
    assert "don't have access" in page.state.refusal
    assert [row["Description"] for row in await texts()] == ["Missing"]


@pytest.mark.parametrize("address", ["999", "0", "x", "1e3", "99999999999999999999"])
async def test_a_picture_that_does_not_exist_shows_nothing(staff: httpx.AsyncClient, address: str) -> None:
    page = await open_page(await stored(staff, photo()))
    page.go_to(f"/admin/picture?id={address}")
    await page.run("open_record")
    assert (page.state.facts, page.state.problem) == ({}, "This picture does not exist.")


async def test_the_reason_for_a_refused_file_is_shown_above_the_list(staff: httpx.AsyncClient) -> None:
    refused = await staff.post("/admin/pictures/upload", files={"picture": ("a.jpg", b"words")})
    await hire(EDITOR, Role.EDITOR)
    page = Tab(PictureUploads, (await enter(EDITOR)).token, refused.headers["location"])
    await page.run("open_uploads")
    assert "not a picture that we can show" in page.state.upload_problem


async def test_a_later_focal_point_and_description_reach_every_use(staff: httpx.AsyncClient) -> None:
    picture = await stored(staff, photo((1000, 600)), alt="Team")
    fields = KINDS[Kind.ARTICLE].fields_of(ARTICLES[0])
    text = f"{fields['text']}\n\n![Team]({picture.address.src})\n\n![Own words]({picture.address.src}#1,2)"
    async with session_scope() as session:
        draft = await save_entry(
            session,
            Kind.ARTICLE,
            ARTICLES[0].slug,
            0,
            {**fields, "image": f"{picture.address.src}#9,9", "text": text},
            EDITOR,
        )
        await publish_entry(session, Kind.ARTICLE, draft.slug, draft.version, EDITOR)
        before = await read_stamp(session)
    await edit(PICTURES, str(picture.id), {"alt": "Our team", "focus_x": "30", "focus_y": "60"}, EDITOR)
    async with read_scope() as session:
        assert await read_stamp(session) > before
        (overlay,) = await list_overlays(session)
        preview = await find_preview(session, preview_path(Kind.ARTICLE, draft.slug).rpartition("/")[2])
    for seen in (overlay.fields, preview.overlays[-1].fields):
        assert seen is not None
        assert seen["image"] == f"{picture.address.src}#30,60"
        assert f"![Our team]({picture.address.src}#30,60)" in seen["text"]
        assert f"![Own words]({picture.address.src}#30,60)" in seen["text"]


async def test_an_upload_changes_no_page(staff: httpx.AsyncClient) -> None:
    async with read_scope() as session:
        before = await read_stamp(session)
    await stored(staff, photo(), alt="Team")
    async with read_scope() as session:
        assert await read_stamp(session) == before


async def test_a_picture_of_an_earlier_version_is_named_and_is_not_published_without_its_file(
    staff: httpx.AsyncClient,
) -> None:
    picture = await stored(staff, photo(), alt="Team")
    slug = ARTICLES[0].slug
    fields = KINDS[Kind.ARTICLE].fields_of(ARTICLES[0])
    async with session_scope() as session:
        first = await save_entry(
            session, Kind.ARTICLE, slug, 0, {**fields, "image": picture.address.src}, EDITOR
        )
        second = await save_entry(session, Kind.ARTICLE, slug, first.version, fields, EDITOR)
    page = await open_page(picture)
    uses = {key: [line.label for line in lines] for key, lines in page.state.related.items()}
    assert uses == {"uses": [], "earlier_uses": [f"Article: {ARTICLES[0].title}"]}
    await page.run("run", key="delete", form={})
    async with session_scope() as session:
        oldest = (await list_versions(session, Kind.ARTICLE, slug))[-1]
        restored = await restore_version(session, Kind.ARTICLE, slug, second.version, oldest.id, EDITOR)
        with pytest.raises(InputRejected) as rejected:
            await publish_entry(session, Kind.ARTICLE, slug, restored.version, EDITOR)
    assert [error.field for error in rejected.value.errors] == ["image"]
