"""Published entries and their pictures become files of the project, which its checks accept."""

from pathlib import Path

import httpx
import pytest

from agency_site.content.article_schema import Article
from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.content.markdown import read
from agency_site.db.engine import read_scope
from agency_site.features.editing.export import read_export, store_files
from tests.integration.features.editing.conftest import stored
from tests.integration.publishing import delivered_content, publish
from tests.pictures import DRAWING, photo

__all__ = ["delivered_content"]
pytestmark = pytest.mark.usefixtures("delivered_content")


async def test_pictures_of_the_library_become_files_and_texts_show_them(
    staff: httpx.AsyncClient, tmp_path: Path
) -> None:
    article = ARTICLES[1]
    cover = await stored(staff, photo((2400, 1350)), "Our Kiosk!.jpg")
    drawing = await stored(staff, DRAWING.encode(), "mark.svg")
    text = f"## Tea\n\n![Tea]({cover.address.text})\n\n![Mark]({drawing.address.text})"
    await publish(Kind.ARTICLE, article.slug, image=f"{cover.address.src}#30,60", text=text)

    async with read_scope() as session:
        export = await read_export(session)
    for folder in ("articles", "insights", "images"):
        (tmp_path / folder).mkdir()
    store_files(export, tmp_path, tmp_path, tmp_path / "steps.txt")

    kiosk, mark = f"/images/our-kiosk-{cover.digest[:8]}.webp", f"/images/mark-{drawing.digest[:8]}.svg"
    exported = read(tmp_path / article.source, Article)
    assert (exported.image, kiosk in exported.html, mark in exported.html) == (kiosk, True, True)
    assert {f"/images/{path.name}" for path in (tmp_path / "images").iterdir()} == {kiosk, mark}
    assert all(len(body) <= 80 * 1024 for body in export.pictures.values())
    assert export.delivered.steps == []
