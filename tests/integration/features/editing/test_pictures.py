"""Staff upload pictures; browsers get their files for a year, and no other file is served."""

import httpx
import pytest
from sqlmodel import select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice import records
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.editing.admin.pictures.record import PICTURES
from agency_site.features.editing.pictures import api
from agency_site.features.editing.pictures.api import PICTURE_UPLOAD, read_problem
from agency_site.features.editing.pictures.records import PictureRecord
from agency_site.features.editing.pictures.tables import Picture, PictureFile
from agency_site.features.editing.pictures.usecases import find_missing_pictures, list_pictures
from tests.http_clients import ORIGIN
from tests.integration.features.editing.conftest import JSON, stored, upload
from tests.integration.staff_sessions import session_header
from tests.pictures import BLUE, decoded, drawing, is_near, photo
from tests.records import edit, find, member

EDITOR = "amina@mwanga.example"


async def delete(picture: PictureRecord) -> None:
    action = PICTURES.find_action("delete")
    assert action
    async with session_scope() as session:
        await records.act(session, PICTURES, action, str(picture.id), picture.version, {}, member(EDITOR))


async def test_an_editor_uploads_a_photo_and_every_form_of_it_is_served_for_a_year(
    staff: httpx.AsyncClient,
) -> None:
    answer = await upload(staff, photo((2000, 1000)), alt=" Our  team ")
    facts = answer.json()
    assert facts == {
        "id": 1,
        "src": f"/pictures/{facts['digest']}/1600x800.jpg",
        "alt": "Our team",
        "width": 1600,
        "height": 800,
        "digest": facts["digest"],
    }
    for name, kind in {
        "480.webp": "webp",
        "960.webp": "webp",
        "1600.webp": "webp",
        "1600x800.jpg": "jpeg",
    }.items():
        file = await staff.get(f"/pictures/{facts['digest']}/{name}")
        assert file.headers["content-type"] == f"image/{kind}"
        assert file.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert file.headers["x-content-type-options"] == "nosniff"
        assert decoded(file.content).width == int(name.partition(".")[0].partition("x")[0])
        again = await staff.get(file.request.url, headers={"If-None-Match": file.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


async def test_the_picture_for_messengers_is_asked_for_again_because_the_focal_point_may_change(
    staff: httpx.AsyncClient,
) -> None:
    picture = await stored(staff, photo((1600, 400)))
    before = await staff.get(picture.address.share_src)
    assert before.headers["cache-control"] == "public, max-age=3600"
    changed = await edit(
        PICTURES, str(picture.id), {"alt": "Team", "focus_x": "100", "focus_y": "50"}, EDITOR
    )
    api._recent_files.clear()
    after = await staff.get(picture.address.share_src)
    assert is_near(decoded(after.content).getpixel((600, 300)), BLUE)
    assert before.headers["etag"] != after.headers["etag"]
    assert PictureRecord.of(changed).address.text == f"{picture.address.src}#100,50"


async def test_a_drawing_is_served_without_any_power(staff: httpx.AsyncClient) -> None:
    picture = await stored(staff, drawing("<path d='M0 0h9'/>"))
    file = await staff.get(picture.address.src)
    assert file.headers["content-type"] == "image/svg+xml"
    assert file.headers["content-security-policy"].startswith(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )


@pytest.mark.parametrize(
    "path",
    ["480.jpg", "1.webp", "share.png", "640x361.jpg", "x", "..%2fshare.jpg", "640x360.jpg%00", "640x360.JPG"],
)
async def test_any_other_file_is_not_found(staff: httpx.AsyncClient, path: str) -> None:
    picture = await stored(staff, photo())
    assert (await staff.get(f"/pictures/{picture.digest}/{path}")).status_code == 404
    assert (await staff.get(f"/pictures/{'0' * 16}/share.jpg")).status_code == 404
    assert (await staff.get(f"/pictures/{picture.digest.upper()}/share.jpg")).status_code == 404


@pytest.mark.each_database
async def test_the_same_file_is_the_same_picture(staff: httpx.AsyncClient) -> None:
    first = await stored(staff, photo(), alt="Team")
    assert await stored(staff, photo(), alt="Another text") == first
    async with read_scope() as session:
        assert len((await session.exec(select(Picture))).all()) == 1
        assert len((await session.exec(select(PictureFile))).all()) == 4


@pytest.mark.parametrize("role", [Role.FRONT_DESK, Role.FINANCE, Role.VIEWER, Role.TRAINER])
async def test_other_roles_upload_nothing(visitor: httpx.AsyncClient, role: Role) -> None:
    visitor.headers.update(await session_header(role) | {"Origin": ORIGIN})
    assert (await upload(visitor, photo())).status_code == 403


async def test_a_stranger_and_another_site_upload_nothing(visitor: httpx.AsyncClient) -> None:
    assert (await upload(visitor, photo())).status_code == 401
    visitor.headers.update(await session_header(Role.EDITOR) | {"Origin": "https://evil.example"})
    assert (await upload(visitor, photo())).status_code == 403
    async with read_scope() as session:
        assert (await session.exec(select(Picture))).all() == []


@pytest.mark.parametrize("content", [b"", b"no picture", drawing("<script/>")])
async def test_a_refused_file_gets_words(staff: httpx.AsyncClient, content: bytes) -> None:
    answer = await upload(staff, content)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert (error["field"], error["message"]) == ("picture", answer.json()["message"])


async def test_a_post_without_a_file_gets_words(staff: httpx.AsyncClient) -> None:
    for posted in (
        {"data": {"picture": "text"}},
        {"files": {"other": ("a.jpg", photo())}},
        {"content": b"junk"},
    ):
        answer = await staff.post(PICTURE_UPLOAD, headers=JSON, **posted)
        assert (answer.status_code, answer.json()["message"]) == (422, "Please choose a picture.")


async def test_a_plain_form_leads_to_the_page_of_the_picture_or_says_what_is_wrong(
    staff: httpx.AsyncClient,
) -> None:
    answer = await staff.post(PICTURE_UPLOAD, files={"picture": ("a.jpg", photo())})
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/picture?id=1")
    refused = await staff.post(PICTURE_UPLOAD, files={"picture": ("a.jpg", b"words")})
    target = httpx.URL(refused.headers["location"])
    assert (refused.status_code, target.path) == (303, "/admin/pictures")
    assert "not a picture that we can show" in read_problem(dict(target.params))
    assert read_problem(dict(target.params) | {"problem": "Call 0700"}) == ""


async def test_the_audit_log_names_the_picture(staff: httpx.AsyncClient) -> None:
    picture = await stored(staff, photo())
    async with read_scope() as session:
        entry = (await session.exec(select(AuditEntry).where(AuditEntry.action == "picture.uploaded"))).one()
    assert (entry.kind, entry.reference, entry.detail) == ("picture", str(picture.id), picture.digest)
    assert entry.actor == picture.author


@pytest.mark.each_database
async def test_a_deleted_picture_is_gone_with_its_files_until_it_is_uploaded_again(
    staff: httpx.AsyncClient,
) -> None:
    picture = await stored(staff, photo(), alt="Team")
    await delete(picture)
    api._recent_files.clear()
    assert (await staff.get(picture.address.src)).status_code == 404
    async with read_scope() as session:
        assert (await session.exec(select(PictureFile.id))).all() == []
        assert await list_pictures(session) == []
    with pytest.raises(NotFound):
        await find(PICTURES, str(picture.id))
    again = await stored(staff, photo(), decorative="on")
    assert (again.id, again.alt, again.is_decorative) == (picture.id, "", True)
    assert again.version > picture.version
    assert (await staff.get(picture.address.src)).status_code == 200


async def test_the_newest_pictures_come_first(staff: httpx.AsyncClient) -> None:
    pictures = [await stored(staff, photo((size, 100))) for size in (100, 200, 300)]
    async with read_scope() as session:
        assert await list_pictures(session, 2) == [pictures[2], pictures[1]]


def test_words_that_no_one_signed_are_not_shown() -> None:
    assert read_problem({"problem": "Call 0700 000 000", "signature": "x"}) == ""


async def test_missing_pictures_are_those_without_a_file(staff: httpx.AsyncClient) -> None:
    present_picture, deleted = (
        await stored(staff, photo()),
        await stored(staff, drawing("<path d='M0 0'/>"), "logo.svg"),
    )
    await delete(deleted)
    folder = f"/pictures/{present_picture.digest}/"
    present = [
        f"{present_picture.address.src}#30,60",
        f"{folder}480.webp",
        f"{folder}share.jpg",
        "/images/map.svg",
    ]
    missing = [
        deleted.address.src, f"{folder}9x9.jpg", "/pictures/ffffffffffffffff/100x100.jpg", "/images/nope.png",
        "/images/../../pyproject.toml", "/images", "/art/",
    ]  # fmt: skip
    async with read_scope() as session:
        assert await find_missing_pictures(session, (*present, *missing)) == missing
        assert await find_missing_pictures(session, ()) == []
