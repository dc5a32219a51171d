"""A folder of finished files served as they are, with brotli and nothing else, by the server program of the site."""

import mimetypes
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import brotli
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from agency_site.settings import settings
from agency_site.web.build.publish import TEXT, site_folder
from agency_site.web.serving.edge import MEDIA_TYPES
from tests.api_servers import api_servers

NOWHERE = "sqlite+aiosqlite:///:memory:"
_SCRIPT = re.compile(r"<script\b(?![^>]*ld\+json).*?</script>", re.DOTALL)


def without_scripts(page: str) -> str:
    """A page as it is for readers and search engines; nothing in it runs."""
    return _SCRIPT.sub("", page)


def unchanged(page: str) -> str:
    """A page as it is."""
    return page


@contextmanager
def served_plainly(source: Path, name: str, change: Callable[[str], str]) -> Iterator[str]:
    """The address of a server with the files of `source`, each page changed; ended with the block."""
    origin = f"http://{name}.bench"
    folder = site_folder(origin)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.gz", "*.br"))
    for file in folder.rglob("*.html"):
        file.write_text(change(file.read_text()))
    for file in list(folder.rglob("*")):
        if file.suffix in TEXT:
            file.with_name(f"{file.name}.br").write_bytes(brotli.compress(file.read_bytes(), quality=9))
    try:
        with api_servers(1, NOWHERE, factory="tests.bench.plain_files:create", public_url=origin) as [url]:
            # The same name as the site's: a browser tries two addresses for it.
            yield url.replace("127.0.0.1", "localhost")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def create() -> ASGIApp:
    """The application."""
    root = site_folder(settings().site_url)
    files = {f"/{file.relative_to(root)}": file.read_bytes() for file in root.rglob("*") if file.is_file()}

    async def answer(request: Request) -> Response:
        path = request.url.path
        name = next((name for name in (path, f"{path.rstrip('/')}/index.html") if name in files), "")
        if not name:
            return Response(status_code=404)
        suffix = Path(name).suffix
        kind = MEDIA_TYPES.get(suffix) or mimetypes.guess_type(name)[0]
        if small := files.get(f"{name}.br"):
            return Response(small, media_type=kind, headers={"Content-Encoding": "br"})
        return Response(files[name], media_type=kind)

    return Starlette(routes=[Route("/{path:path}", answer)])
