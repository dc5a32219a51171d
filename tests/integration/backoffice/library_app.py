"""The library of `docs/back-office-framework.md` in a process and a database of its own, worked as staff work it.

`python -m tests.integration.backoffice.library_app MODULE`, with the page's code in the file MODULE.
"""

import asyncio
import importlib.util
import sys
from types import ModuleType
from typing import Any

from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import page_of
from agency_site.backoffice.lists.state import PICK, ListState
from agency_site.backoffice.record_page import RecordState
from agency_site.db.engine import dispose_engine, engine, read_scope
from agency_site.db.tables import metadata
from tests.integration.backoffice.conftest import Tab, enter, hire, open_tab

FIRST = {"title": "Weep Not, Child", "author": "Ngũgĩ wa Thiong'o"}


def load_library(path: str) -> ModuleType:
    """Run the code of the page as a module."""
    spec = importlib.util.spec_from_file_location("library", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def find_titles(definition: Any, **query: str) -> list[str]:
    """Return the titles that the list shows for a query."""
    async with read_scope() as session:
        return [book.title for book in await page_of(session, definition, read_query(definition, query))]


async def create_and_find(definition: Any) -> Tab:
    """Enter two books, find one, and open its page."""
    await hire()
    tab = await open_tab(RecordState, "/admin/book")
    await tab.run("run", key="create", form={"title": "", "author": "x" * 81})
    assert set(tab.state.errors) == {"title", "author"}
    assert "/admin/book?ref=Weep" in str(await tab.run("run", key="create", form=FIRST))
    await tab.run("run", key="create", form={"title": "Dust", "author": "Yvonne Owuor"})
    await tab.run("run", key="create", form=FIRST)
    assert list(tab.state.errors) == ["title"], "a title exists once"
    assert await find_titles(definition) == ["Dust", FIRST["title"]]
    assert await find_titles(definition, q="weep") == [FIRST["title"]]
    return await open_tab(RecordState, "/admin/book?ref=Weep Not, Child")


async def edit_at_once(tab: Tab, other: Tab) -> None:
    """Edit one book on two pages: the second editor chooses."""
    for page in (tab, other):
        await page.run("ask", key="edit")
    await other.run("run", key="edit", form={"author": "James Ngugi"})
    await tab.run("run", key="edit", form={"author": "Ngugi"})
    assert [(each.label, each.theirs, each.own) for each in tab.state.conflicts] == [
        ("Author", "James Ngugi", "Ngugi")
    ]
    await tab.run("save_mine", _form={})
    assert (tab.state.facts["below"], tab.state.conflicts) == ("Ngugi", [])
    assert [line.words for line in tab.state.lines][:2] == [
        "Author: James Ngugi → Ngugi",
        f"Author: {FIRST['author']} → James Ngugi",
    ]


async def lend_and_take_back(tab: Tab, token: str) -> None:
    """Lend a book on its page and take it back from the list."""
    await tab.run("ask", key="lend")
    await tab.run("run", key="lend", form={"reader": ""})
    assert list(tab.state.errors) == ["reader"]
    await tab.run("run", key="lend", form={"reader": "Amina"})
    assert (tab.state.done, tab.state.facts["state"]) == ("Lent to Amina.", "Lent")
    await tab.run("run", key="lend", form={"reader": "Brian"})
    assert tab.state.problem == "This book is lent, so this is not possible."
    books = Tab(ListState, token, "/admin/books")
    await books.run("open_list")
    picks = {f"{PICK}{title}": "on" for title in ("Dust", FIRST["title"])}
    await books.run("ask", form={"action": "take_back", **picks})
    await books.run("run", form={})
    assert books.state.outcomes == ["Dust: This book is here, so this is not possible."]
    await tab.run("refresh")
    assert [line.what for line in tab.state.lines] == ["Take back", "Lend", "Edited", "Edited", "Created"]


async def work(library: ModuleType) -> None:
    """Do everything that the page promises."""
    async with engine().begin() as connection:
        await connection.run_sync(metadata.create_all)
    definition = library.BOOKS.definition
    tab = await create_and_find(definition)
    other = await open_tab(RecordState, "/admin/book?ref=Weep Not, Child")
    await edit_at_once(tab, other)
    await lend_and_take_back(tab, (await enter()).token)
    file = b"".join([line async for line in lines_of_export(definition, read_query(definition, {}))])
    assert file.decode("utf-8-sig").splitlines() == [
        "Title,Author",
        "Dust,Yvonne Owuor",
        '"Weep Not, Child",Ngugi',
    ]
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(work(load_library(sys.argv[1])))
    sys.stdout.write("The library works.\n")
