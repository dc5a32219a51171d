"""A process keeps the files that it served lately, within a limit of memory and for a short time."""

import pytest

from agency_site.errors import NotFound
from agency_site.features.editing.pictures.forms import PictureForm
from agency_site.features.editing.pictures.recent_files import RecentFiles


class Store:
    """Counts how often a file is read."""

    def __init__(self, size: int = 10) -> None:
        self.size, self.reads = size, 0

    async def load(self) -> PictureForm:
        self.reads += 1
        return PictureForm("480.webp", "image/webp", b"x" * self.size)


async def test_a_file_is_read_once() -> None:
    store, recent = Store(), RecentFiles()
    first, second = await recent.read("a", store.load), await recent.read("a", store.load)
    assert (store.reads, first) == (1, second)
    assert first.etag.startswith('"')


async def test_what_was_not_requested_for_the_longest_time_is_dropped() -> None:
    stores, recent = {key: Store() for key in "abc"}, RecentFiles(most_bytes=20)
    for key in "abaca":
        await recent.read(key, stores[key].load)
    assert [store.reads for store in stores.values()] == [1, 1, 1]
    await recent.read("b", stores["b"].load)
    assert stores["b"].reads == 2


async def test_a_file_above_the_limit_is_served_but_not_kept() -> None:
    store, recent = Store(50), RecentFiles(most_bytes=20)
    assert len((await recent.read("a", store.load)).form.body) == 50
    await recent.read("a", store.load)
    assert store.reads == 2


async def test_a_file_is_read_again_after_a_while_because_it_may_have_been_deleted() -> None:
    store, recent = Store(), RecentFiles(seconds=0)
    await recent.read("a", store.load)
    await recent.read("a", store.load)
    assert store.reads == 2


async def test_a_missing_file_is_not_kept() -> None:
    async def missing() -> PictureForm:
        raise NotFound("This picture does not exist.")

    store, recent = Store(), RecentFiles()
    with pytest.raises(NotFound):
        await recent.read("a", missing)
    assert (await recent.read("a", store.load)).form.name == "480.webp"
