"""What visitors see of an entry in each state, after each verb; and where its addresses lead."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.content.articles import ARTICLES, articles
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, lay_over
from agency_site.content.published import previewed
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound
from agency_site.features.editing.entries import staff_usecases as staff
from agency_site.features.editing.entries.checks import AnswerNeeded
from agency_site.features.editing.entries.previews import find_preview, preview_path
from agency_site.features.editing.entries.records import EntryRecord
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.usecases import (
    count_failed_entries,
    list_failed_entries,
    list_overlays,
    publish_due_entries,
)

EDITOR = "editor@example.com"
FIRST, SECOND = ARTICLES[0], ARTICLES[1]
SLUG = FIRST.slug
FIELDS = KINDS[Kind.ARTICLE].fields_of(FIRST)
DELIVERED, PUBLISHED, DRAFT, NOTHING = FIRST.title, "Published title", "Draft title", None
REFUSED = "refused"
pytestmark = pytest.mark.usefixtures("database")


async def find(slug: str = SLUG) -> EntryRecord:
    async with read_scope() as session:
        return await staff.find_entry(session, Kind.ARTICLE, slug)


class Editor:
    """An editor who works on one entry."""

    def __init__(self, slug: str = SLUG) -> None:
        self.slug = slug
        self.moment = clock.now() + timedelta(hours=8)

    async def _do(self, verb: str, *arguments: object) -> None:
        entry = await find(self.slug)
        async with session_scope() as session:
            work = getattr(staff, f"{verb}_entry", None) or getattr(staff, verb)
            await work(session, Kind.ARTICLE, self.slug, entry.version, *arguments, EDITOR)

    async def save(self, title: str = DRAFT, **changes: str) -> None:
        fields = {**(await find(self.slug)).fields, "title": title, **changes}
        await self._do("save", fields)

    async def publish(self) -> None:
        await self._do("publish")

    async def schedule(self) -> None:
        await self._do("schedule", self.moment)

    async def unschedule(self) -> None:
        await self._do("unschedule")

    async def wait(self) -> None:
        """Let the planned moment come."""
        with clock.frozen(self.moment):
            async with session_scope() as session:
                await publish_due_entries(session)

    async def hide(self) -> None:
        await self._do("hide")

    async def show(self) -> None:
        await self._do("show")

    async def restore(self) -> None:
        """Restore the oldest version."""
        async with read_scope() as session:
            versions = await staff.list_versions(session, Kind.ARTICLE, self.slug)
        await self._do("restore_version", versions[-1].id if versions else 0)

    async def reset(self) -> None:
        await self._do("reset")

    async def move(self) -> None:
        """Publish the draft at another address."""
        await self.save((await find(self.slug)).title, address="moved")
        await self.publish()


async def see(slug: str = SLUG) -> str | None:
    """Return the title that visitors see; every place that asks must have the same answer."""
    async with read_scope() as session:
        overlays = await list_overlays(session)
    with previewed(lay_over(overlays)):
        title = next((article.title for article in articles() if article.slug == slug), None)
    visible = (await find(slug)).visible_fields
    assert title == (visible["title"] if visible else None)
    return title


async def preview(slug: str = SLUG) -> str:
    entry = await find(slug)
    link = preview_path(Kind.ARTICLE, slug, entry.preview_number)
    async with read_scope() as session:
        overlays = (await find_preview(session, link.rpartition("/")[2])).overlays
    with previewed(lay_over(overlays)):
        return next(article.title for article in articles() if article.slug == slug)


async def _start(editor: Editor, steps: str) -> None:
    for step in steps.split():
        await (editor.save(PUBLISHED) if step == "save-first" else getattr(editor, step)())


STATES = {
    "delivered": ("", EntryState.PUBLISHED, DELIVERED),
    "draft": ("save", EntryState.DRAFT, DELIVERED),
    "draft, scheduled": ("save schedule", EntryState.SCHEDULED, DELIVERED),
    "published": ("save-first publish", EntryState.PUBLISHED, PUBLISHED),
    "changed": ("save-first publish save", EntryState.PUBLISHED, PUBLISHED),
    "scheduled": ("save-first publish save schedule", EntryState.SCHEDULED, PUBLISHED),
    "hidden": ("save-first publish save hide", EntryState.HIDDEN, NOTHING),
    "hidden, scheduled": ("save-first publish save hide schedule", EntryState.SCHEDULED, NOTHING),
    "delivered, hidden": ("hide", EntryState.HIDDEN, NOTHING),
}
VERBS = ("save", "publish", "schedule", "unschedule", "wait", "hide", "show", "restore", "reset", "move")
AFTER: dict[str, tuple[str | None, ...]] = {
    "delivered": (DELIVERED, DELIVERED, DELIVERED, REFUSED, DELIVERED, NOTHING, REFUSED, REFUSED, REFUSED, DELIVERED),
    "draft": (DELIVERED, DRAFT, DELIVERED, REFUSED, DELIVERED, NOTHING, REFUSED, DELIVERED, DELIVERED, DRAFT),
    "draft, scheduled": (DELIVERED, DRAFT, DELIVERED, DELIVERED, DRAFT, NOTHING, REFUSED, DELIVERED, DELIVERED, DRAFT),
    "published": (PUBLISHED, PUBLISHED, PUBLISHED, REFUSED, PUBLISHED, NOTHING, REFUSED, PUBLISHED, DELIVERED, PUBLISHED),
    "changed": (PUBLISHED, DRAFT, PUBLISHED, REFUSED, PUBLISHED, NOTHING, REFUSED, PUBLISHED, DELIVERED, DRAFT),
    "scheduled": (PUBLISHED, DRAFT, PUBLISHED, PUBLISHED, DRAFT, NOTHING, REFUSED, PUBLISHED, DELIVERED, DRAFT),
    "hidden": (NOTHING, DRAFT, NOTHING, REFUSED, NOTHING, REFUSED, PUBLISHED, NOTHING, DELIVERED, DRAFT),
    "hidden, scheduled": (NOTHING, DRAFT, NOTHING, NOTHING, DRAFT, REFUSED, PUBLISHED, NOTHING, DELIVERED, DRAFT),
    "delivered, hidden": (NOTHING, DELIVERED, NOTHING, REFUSED, NOTHING, REFUSED, DELIVERED, NOTHING, DELIVERED, DELIVERED),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("verb", VERBS)
async def test_visitors_see_the_same_whatever_is_asked(state: str, verb: str) -> None:
    editor = Editor()
    steps, stored, seen = STATES[state]
    await _start(editor, steps)
    assert ((await find()).state, await see()) == (stored, seen)

    expected = AFTER[state][VERBS.index(verb)]
    if expected == REFUSED:
        if verb == "reset" and state == "delivered":
            return
        with pytest.raises((Conflict, NotFound)):
            await getattr(editor, verb)()
        assert await see() == seen
        return
    await getattr(editor, verb)()

    assert await see() == expected
    entry = await find()
    assert await preview() == entry.fields["title"]
    assert entry.is_hidden is (expected is NOTHING)
    if entry.publish_at:
        await editor.unschedule()
        assert await see() == expected


async def test_comparisons_with_the_published_version_work_while_it_is_hidden() -> None:
    editor = Editor()
    await _start(editor, STATES["hidden"][0])
    entry = await find()
    assert entry.has_unpublished_changes
    assert (entry.published_fields or {})["title"] == PUBLISHED
    await editor.show()
    entry = await find()
    assert (entry.fields["title"], entry.has_unpublished_changes) == (DRAFT, True)
    async with read_scope() as session:
        newest = (await staff.list_versions(session, Kind.ARTICLE, SLUG))[0]
    assert (newest.event.what, newest.fields["title"]) == ("shown", PUBLISHED)


async def test_a_draft_that_visitors_never_saw_is_not_hidden() -> None:
    async with session_scope() as session:
        entry = await staff.create_entry(session, Kind.ARTICLE, {"title": "Own"}, EDITOR)
        with pytest.raises(Conflict, match="do not see"):
            await staff.hide_entry(session, Kind.ARTICLE, entry.slug, entry.version, EDITOR)


@pytest.mark.parametrize("verb", ["hide", "renew_preview"])
async def test_a_link_to_the_preview_ends_when_the_entry_is_hidden_or_the_link_renewed(verb: str) -> None:
    editor = Editor()
    await editor.save()
    token = preview_path(Kind.ARTICLE, SLUG, (await find()).preview_number).rpartition("/")[2]
    await editor._do(verb)
    async with read_scope() as session:
        with pytest.raises(NotFound):
            await find_preview(session, token)
    assert await preview() == DRAFT


async def leads(address: str) -> str:
    """Return the path to which an address leads, itself if there is a page; empty for no page."""
    async with read_scope() as session:
        overlays = await list_overlays(session)
    with previewed(lay_over(overlays)):
        paths = {article.href for article in articles()}
        moved = {former: article.href for article in articles() for former in article.former_paths}
    path = f"/{address}"
    return path if path in paths else moved.get(path, "")


async def _publish_at(editor: Editor, address: str, answered: tuple[str, ...] = ()) -> None:
    await editor.save(address=address)
    entry = await find(editor.slug)
    async with session_scope() as session:
        await staff.publish_entry(session, Kind.ARTICLE, editor.slug, entry.version, EDITOR, answered)


def _back_and_forth(editor: Editor) -> list[Callable[[], Awaitable[None]]]:
    return [lambda: _publish_at(editor, SLUG), lambda: _publish_at(editor, "fourth")]


def _schedule_elsewhere(editor: Editor) -> list[Callable[[], Awaitable[None]]]:
    return [lambda: editor.save(address="fourth"), editor.schedule, editor.wait]


@pytest.mark.parametrize(
    "later",
    [
        lambda editor: [editor.restore, editor.publish],
        lambda editor: [editor.reset],
        lambda editor: [editor.hide, editor.show],
        lambda editor: [editor.hide, editor.publish],
        lambda editor: [editor.reset, editor.restore, editor.publish],
        _back_and_forth,
        _schedule_elsewhere,
        lambda editor: [editor.hide, *_schedule_elsewhere(editor)],
    ],
    ids=["restore", "reset", "hide", "hide, publish", "reset, restore", "back", "schedule", "hide, schedule"],
)
async def test_every_former_address_leads_to_the_page(
    later: Callable[[Editor], list[Callable[[], Awaitable[None]]]],
) -> None:
    editor = Editor()
    for address in ("second", "third"):
        await _publish_at(editor, address)
    for step in later(editor):
        await step()
    present = f"/{(await find()).visible_fields['address']}"  # type: ignore[index]
    assert {await leads(address) for address in (SLUG, "second", "third")} == {present}


async def test_two_texts_that_swap_addresses_are_both_found() -> None:
    first, second = Editor(), Editor(SECOND.slug)
    await _publish_at(first, "a")
    await _publish_at(second, "b")
    await _publish_at(first, "c")
    with pytest.raises(AnswerNeeded) as needed:
        await _publish_at(second, "a")
    await _publish_at(second, "a", (needed.value.message,))
    with pytest.raises(AnswerNeeded) as needed:
        await _publish_at(first, "b")
    await _publish_at(first, "b", (needed.value.message,))
    assert [await leads(address) for address in "abc"] == ["/a", "/b", "/b"]
    assert ((await find()).visible_fields or {})["address"] == "b"
    await _publish_at(second, "d")
    assert [await leads(address) for address in "abcd"] == ["/d", "/b", "/b", "/d"]


async def _create(title: str, **changes: str) -> Editor:
    async with session_scope() as session:
        entry = await staff.create_entry(session, Kind.ARTICLE, {**FIELDS, "title": title, **changes}, EDITOR)
    return Editor(entry.slug)


async def test_an_address_that_another_text_is_scheduled_with_is_named() -> None:
    first, second = await _create("Clash one", address="clash"), await _create("Clash two", address="clash")
    await first.schedule()
    for verb in (second.schedule, second.publish):
        with pytest.raises(InputRejected) as rejected:
            await verb()
        assert [error.field for error in rejected.value.errors] == ["address"]
        assert "“Clash one” is scheduled with the address /clash" in rejected.value.errors[0].message


async def test_the_address_of_a_hidden_text_and_a_former_one_are_asked_about() -> None:
    other = await _create("Other", address="theirs")
    await other.publish()
    await _publish_at(other, "moved-on")
    own = await _create("Mine", address="theirs")
    with pytest.raises(AnswerNeeded, match="Links to “theirs” lead to “Draft title”"):
        await own.publish()
    await other.hide()
    await own.save(address="moved-on")
    with pytest.raises(
        AnswerNeeded, match="“Draft title” is hidden and has the address “moved-on”"
    ) as needed:
        await own.publish()
    await _publish_at(own, "moved-on", (needed.value.message,))
    with pytest.raises(Conflict, match="Another page has the address /moved-on"):
        await other.show()
    assert await see(other.slug) is None


async def test_what_was_checked_when_scheduling_is_checked_when_publishing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = await _create("Planned", address="planned")
    await planned.schedule()
    neighbour = await _create("Neighbour", address="neighbour")
    neighbour.moment = planned.moment
    await neighbour.schedule()
    # An update of the site takes the address before the moment.
    monkeypatch.setattr("agency_site.features.editing.entries.addresses._reserved", {"/planned"})
    await planned.wait()

    entry = await find(planned.slug)
    assert (entry.state, entry.publish_at, await see(planned.slug)) == (EntryState.DRAFT, None, None)
    assert entry.problem == "Another page has the address /planned. Please choose another one."
    assert await see(neighbour.slug) == "Neighbour"
    async with read_scope() as session:
        assert await count_failed_entries(session) == 1
        assert [failed.slug for failed in await list_failed_entries(session)] == [planned.slug]
        newest = (await staff.list_versions(session, Kind.ARTICLE, planned.slug))[0]
    assert (newest.event.what, newest.event.note) == ("unscheduled", entry.problem)
    await planned.save(address="elsewhere")
    async with read_scope() as session:
        assert await count_failed_entries(session) == 0
    assert (await find(planned.slug)).editor == EDITOR


@pytest.mark.parametrize("field", ["published", "revised"])
async def test_a_day_to_come_is_scheduled_and_not_published_before(field: str) -> None:
    editor = await _create("Later", address="later")
    tomorrow = clock.today() + timedelta(days=1)
    await editor.save("Later", **{field: tomorrow.isoformat()})
    with pytest.raises(InputRejected) as rejected:
        await editor.publish()
    assert [error.field for error in rejected.value.errors] == [field]
    editor.moment += timedelta(days=1)
    await editor.schedule()
    await editor.wait()
    assert await see(editor.slug) == "Later"


PRICES = {"free": "0", "a digit less": "1500", "a digit more": "150000"}


@pytest.mark.parametrize("price", PRICES.values(), ids=PRICES)
async def test_a_price_that_becomes_nothing_or_tenfold_is_asked_about(price: str) -> None:
    slug = "google-ads"
    async with session_scope() as session:
        entry = await staff.find_entry(session, Kind.COURSE, slug)
        assert entry.fields["price"] == "15000"
        saved = await staff.save_entry(
            session, Kind.COURSE, slug, 0, {**entry.fields, "price": price}, EDITOR
        )
        with pytest.raises(AnswerNeeded) as needed:
            await staff.publish_entry(session, Kind.COURSE, slug, saved.version, EDITOR)
        with pytest.raises(AnswerNeeded):
            await staff.schedule_entry(
                session, Kind.COURSE, slug, saved.version, clock.now() + timedelta(hours=1), EDITOR
            )
        (question,) = needed.value.errors
        assert question.field == "price"
        assert question.message.startswith(f"KES 15,000 becomes KES {int(price):,}.")
        published = await staff.publish_entry(
            session, Kind.COURSE, slug, saved.version, EDITOR, [question.message]
        )
    assert (published.visible_fields or {})["price"] == price


async def test_an_entry_that_fails_in_any_way_keeps_no_other_from_its_moment(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = await _create("Bad", address="bad"), await _create("Good", address="good")
    for editor in (bad, good):
        editor.moment = bad.moment
        await editor.schedule()

    async def fail(session: object, entry: EntryRecord, *_: object) -> list[FieldError]:
        if entry.slug == bad.slug:
            raise KeyError(entry.slug)
        return []

    monkeypatch.setattr(staff, "list_problems", fail)
    await bad.wait()
    assert [await see(editor.slug) for editor in (bad, good)] == [None, "Good"]
    assert (await find(bad.slug)).problem.startswith("The site failed to publish it.")
    assert "The scheduled article bad could not be handled" in caplog.text
    await bad.wait()
    assert (await find(bad.slug)).publish_at is None
