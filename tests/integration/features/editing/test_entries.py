"""Staff write, publish, schedule, hide and restore entries."""

import asyncio
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.agency_site import site_routes
from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, Overlay, lay_over
from agency_site.content.published import previewed
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.editing.entries import staff_usecases as staff
from agency_site.features.editing.entries.records import EntryRecord
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.usecases import list_overlays, publish_due_entries, read_stamp
from agency_site.settings import settings

EDITOR = "editor@example.com"
SLUG = ARTICLES[0].slug
FIELDS = KINDS[Kind.ARTICLE].fields_of(ARTICLES[0])
pytestmark = pytest.mark.usefixtures("database")


async def find(slug: str = SLUG) -> EntryRecord:
    async with read_scope() as session:
        return await staff.find_entry(session, Kind.ARTICLE, slug)


async def save(version: int, slug: str = SLUG, **changes: str) -> EntryRecord:
    async with session_scope() as session:
        return await staff.save_entry(session, Kind.ARTICLE, slug, version, {**FIELDS, **changes}, EDITOR)


async def publish(version: int, slug: str = SLUG) -> EntryRecord:
    async with session_scope() as session:
        return await staff.publish_entry(session, Kind.ARTICLE, slug, version, EDITOR)


async def overlays() -> tuple[Overlay, ...]:
    async with read_scope() as session:
        return await list_overlays(session)


async def test_a_delivered_record_is_open_for_changes_without_a_row() -> None:
    entry = await find()
    assert (entry.version, entry.state, entry.fields) == (0, EntryState.PUBLISHED, FIELDS)
    assert not entry.has_unpublished_changes
    assert not entry.is_changed_here
    with pytest.raises(NotFound):
        await find("no-such-article")


async def test_visitors_see_a_change_once_it_is_published() -> None:
    draft = await save(0, title="Changed")
    assert (draft.version, draft.has_unpublished_changes, await overlays()) == (1, True, ())

    published = await publish(draft.version)

    assert published.is_changed_here
    assert not published.has_unpublished_changes
    assert await overlays() == (Overlay(Kind.ARTICLE, SLUG, {**FIELDS, "title": "Changed"}),)


async def test_a_draft_after_publishing_leaves_what_visitors_see() -> None:
    published = await publish((await save(0, title="First")).version)
    await save(published.version, title="Second")
    (overlay,) = await overlays()
    assert overlay.fields is not None
    assert overlay.fields["title"] == "First"


async def test_of_two_editors_the_second_gets_an_error_and_overwrites_nothing() -> None:
    first = await save(0, title="Mine")
    with pytest.raises(StaleRecord):
        await save(0, title="Yours")
    await save(first.version, title="Mine again")
    with pytest.raises(StaleRecord) as stale:
        await publish(first.version)
    assert stale.value.current.fields["title"] == "Mine again"


@pytest.mark.each_database
async def test_of_two_first_changes_at_once_one_is_stored() -> None:
    results = await asyncio.gather(save(0, title="A"), save(0, title="B"), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["EntryRecord", "StaleRecord"]


async def test_an_incomplete_entry_is_saved_but_not_published() -> None:
    draft = await save(0, excerpt="", published="soon")
    with pytest.raises(InputRejected) as rejected:
        await publish(draft.version)
    assert {error.field for error in rejected.value.errors} == {"excerpt", "published"}
    assert (await find()).fields["published"] == "soon"


async def test_a_new_article_gets_its_own_slug_and_is_unseen_until_it_is_published() -> None:
    async with session_scope() as session:
        first = await staff.create_entry(
            session, Kind.ARTICLE, {**FIELDS, "title": "Bei ya soko!", "address": ""}, EDITOR
        )
        second = await staff.create_entry(session, Kind.ARTICLE, {"title": "Bei ya soko"}, EDITOR)
    assert (first.slug, second.slug) == ("bei-ya-soko", "bei-ya-soko-2")
    assert first.published_fields is None
    assert await overlays() == ()


async def test_a_record_needs_a_title_and_a_fixed_list_takes_no_new_one() -> None:
    async with session_scope() as session:
        with pytest.raises(InputRejected):
            await staff.create_entry(session, Kind.ARTICLE, {"title": " "}, EDITOR)
        with pytest.raises(Conflict):
            await staff.create_entry(session, Kind.COURSE, {"price": "1"}, EDITOR)


async def test_a_scheduled_entry_is_published_at_its_moment_and_not_before() -> None:
    draft = await save(0, title="At eight")
    moment = clock.now() + timedelta(hours=8)
    async with session_scope() as session:
        scheduled = await staff.schedule_entry(session, Kind.ARTICLE, SLUG, draft.version, moment, EDITOR)
    assert scheduled.state is EntryState.SCHEDULED
    with clock.frozen(moment - timedelta(seconds=1)):
        assert await publish_due() == 0
    with clock.frozen(moment):
        assert await publish_due() == 1
        assert await publish_due() == 0
    entry = await find()
    assert (entry.state, entry.publish_at, entry.has_unpublished_changes) == (
        EntryState.PUBLISHED,
        None,
        False,
    )
    assert [overlay.slug for overlay in await overlays()] == [SLUG]


async def publish_due() -> int:
    async with session_scope() as session:
        return await publish_due_entries(session)


@pytest.mark.each_database
async def test_several_processes_publish_a_due_entry_once() -> None:
    draft = await save(0, title="At eight")
    moment = clock.now() + timedelta(hours=8)
    async with session_scope() as session:
        await staff.schedule_entry(session, Kind.ARTICLE, SLUG, draft.version, moment, EDITOR)
    with clock.frozen(moment):
        counts = await asyncio.gather(*(publish_due() for _ in range(4)))
    assert sum(counts) == 1
    async with read_scope() as session:
        versions = await staff.list_versions(session, Kind.ARTICLE, SLUG)
    assert [version.event.what for version in versions].count("published") == 1


async def test_a_moment_that_has_passed_is_refused_and_a_planned_one_can_be_given_up() -> None:
    draft = await save(0, title="At eight")
    async with session_scope() as session:
        with pytest.raises(InputRejected):
            await staff.schedule_entry(session, Kind.ARTICLE, SLUG, draft.version, clock.now(), EDITOR)
        moment = clock.now() + timedelta(hours=8)
        scheduled = await staff.schedule_entry(session, Kind.ARTICLE, SLUG, draft.version, moment, EDITOR)
        entry = await staff.unschedule_entry(session, Kind.ARTICLE, SLUG, scheduled.version, EDITOR)
        with pytest.raises(Conflict):
            await staff.unschedule_entry(session, Kind.ARTICLE, SLUG, entry.version, EDITOR)
    assert entry.state is EntryState.DRAFT
    with clock.frozen(moment):
        assert await publish_due() == 0


async def test_a_hidden_record_is_gone_until_it_is_published_again() -> None:
    async with session_scope() as session:
        hidden = await staff.hide_entry(session, Kind.ARTICLE, SLUG, 0, EDITOR)
    assert await overlays() == (Overlay(Kind.ARTICLE, SLUG, None),)
    await publish(hidden.version)
    assert await overlays() == (Overlay(Kind.ARTICLE, SLUG, FIELDS),)
    async with session_scope() as session:
        with pytest.raises(Conflict):
            await staff.hide_entry(session, Kind.COURSE, "digital-marketing", 0, EDITOR)


async def test_the_last_article_cannot_be_hidden() -> None:
    async with session_scope() as session:
        for article in ARTICLES[1:]:
            await staff.hide_entry(session, Kind.ARTICLE, article.slug, 0, EDITOR)
        with pytest.raises(Conflict, match="only article"):
            await staff.hide_entry(session, Kind.ARTICLE, SLUG, 0, EDITOR)


async def test_what_was_delivered_comes_back_and_the_history_keeps_the_rest() -> None:
    published = await publish((await save(0, title="Changed")).version)
    async with session_scope() as session:
        entry = await staff.reset_entry(session, Kind.ARTICLE, SLUG, published.version, EDITOR)
        versions = await staff.list_versions(session, Kind.ARTICLE, SLUG)
        changed = next(version for version in versions if version.fields["title"] == "Changed")
        restored = await staff.restore_version(session, Kind.ARTICLE, SLUG, entry.version, changed.id, EDITOR)
    assert entry.fields == FIELDS
    assert await overlays() == ()
    assert restored.fields["title"] == "Changed"
    assert [version.event.what for version in versions] == ["reset", "published", "saved"]
    assert {version.event.actor for version in versions} == {EDITOR}


async def test_a_version_of_another_record_is_not_restored() -> None:
    other = ARTICLES[1].slug
    await save(0, title="Mine")
    await save(0, slug=other, title="Other")
    async with session_scope() as session:
        (version,) = await staff.list_versions(session, Kind.ARTICLE, other)
        with pytest.raises(NotFound):
            await staff.restore_version(session, Kind.ARTICLE, SLUG, 1, version.id, EDITOR)


@pytest.mark.parametrize("address", ["about", "services", "assets", "admin", "healthz", ARTICLES[1].slug])
async def test_a_page_of_staff_takes_no_address_of_the_site(address: str) -> None:
    assert site_routes()
    draft = await save(0, address=address)
    with pytest.raises(InputRejected) as rejected:
        await publish(draft.version)
    (error,) = rejected.value.errors
    assert (error.field, error.message) == (
        "address",
        f"Another page has the address /{address}. Please choose another one.",
    )


async def test_two_pages_of_staff_have_two_addresses() -> None:
    await publish((await save(0, address="shared")).version)
    other = await save(0, slug=ARTICLES[1].slug, address="shared")
    with pytest.raises(InputRejected, match="check the marked fields"):
        await publish(other.version, ARTICLES[1].slug)
    moved = await save(other.version, slug=ARTICLES[1].slug, address="of-its-own")
    assert (await publish(moved.version, ARTICLES[1].slug)).published_fields is not None


async def test_the_stamp_rises_with_every_change() -> None:
    async def stamp() -> int:
        async with read_scope() as session:
            return await read_stamp(session)

    stamps = [await stamp()]
    draft = await save(0, title="A")
    stamps.append(await stamp())
    await publish(draft.version)
    stamps.append(await stamp())
    assert stamps == sorted(set(stamps))


@pytest.mark.parametrize(
    ("field", "value", "address"),
    [
        ("image", "/pictures/ffffffffffffffff/100x100.jpg", "/pictures/ffffffffffffffff/100x100.jpg"),
        ("image", "/images/nope.png", "/images/nope.png"),
        ("text", "Text.\n\n![Nope](/art/nope.svg)", "/art/nope.svg"),
    ],
)
async def test_an_entry_with_a_missing_picture_is_not_published(field: str, value: str, address: str) -> None:
    draft = await save(0, **{field: value})
    with pytest.raises(InputRejected) as rejected:
        await publish(draft.version)
    assert [(error.field, error.message) for error in rejected.value.errors] == [
        (field, f"The picture {address} is not in the library. Please upload it.")
    ]


SITE = settings().site_url


@pytest.mark.parametrize(
    "target",
    [
        "/no-such-page", "/services/no-such-service", f"{SITE}/no-such-page", "/blog/../nope", "/images/nope.png",
        "/newsletter-nope", "/insights/no-such-insight", f"/{ARTICLES[1].slug}?x=1#y",
    ],
)  # fmt: skip
async def test_an_entry_with_a_link_to_no_page_is_not_published(target: str) -> None:
    with previewed(lay_over([Overlay(Kind.ARTICLE, ARTICLES[1].slug, None)])):
        draft = await save(0, text=f"{FIELDS['text']}\n\n[gone]({target})")
        with pytest.raises(InputRejected) as refused:
            await publish(draft.version)
    assert [(problem.field, problem.message) for problem in refused.value.errors] == [
        ("text", f"A link leads to {target}, where this site has no page.")
    ]


@pytest.mark.parametrize(
    "target",
    [
        "/", "/book", "/Book/", "/book?plan=pro#top", "/web-design", "/services/web-design", SITE, f"{SITE}/contact", "/feed.xml",
        f"/{ARTICLES[1].slug}", "/newsletter/archive", "/favicon.svg", "/own-address", "https://elsewhere.example/no-such-page",
        "mailto:hello@mwanga.example", "tel:+254700000000",
    ],
)  # fmt: skip
async def test_an_entry_whose_links_lead_somewhere_is_published(target: str) -> None:
    draft = await save(0, address="own-address", text=f"{FIELDS['text']}\n\n[there]({target})")
    assert not (await publish(draft.version)).has_unpublished_changes


@pytest.mark.parametrize(
    "text", ["<!-- check with Achieng -->", "[a](javascript:alert(1))", "a[^1]", "[a](#nowhere)", "[a](bok)"]
)
async def test_a_text_that_visitors_would_not_see_as_meant_is_not_published(text: str) -> None:
    draft = await save(0, text=text)
    with pytest.raises(InputRejected) as refused:
        await publish(draft.version)
    assert [problem.field for problem in refused.value.errors] == ["text"]


async def test_an_announcement_with_a_link_to_no_page_is_not_published() -> None:
    fields = {"text": "Open day", "label": "Come", "href": "/no-such-page"}
    async with session_scope() as session:
        draft = await staff.create_entry(session, Kind.ANNOUNCEMENT, fields, EDITOR)
    async with session_scope() as session:
        with pytest.raises(InputRejected) as refused:
            await staff.publish_entry(session, Kind.ANNOUNCEMENT, draft.slug, draft.version, EDITOR)
    assert [problem.field for problem in refused.value.errors] == ["href"]
