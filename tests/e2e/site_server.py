"""A server of published folders that tests can exchange, slow down and stop; it records the requests of a browser."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse

from agency_site.web.build.publish import BUILD, publish
from agency_site.web.serving.edge import PageRequest, Site

DRAWN = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'
FRAME = '<!doctype html><html lang="en"><title>Frame</title><iframe style="border: 0" height="844"></iframe>'
"""What `/frame` answers: in it a page can be as narrow as no window of WebKit's own browser."""


class SiteServer:
    """A server of published folders, which can be exchanged."""

    def __init__(self, build: Path = BUILD) -> None:
        self.build = build
        self.site: Site
        self.requested: list[str] = []
        """Requested paths."""
        self.status = 0
        """Status of every page instead of its own, if any."""
        self.open = threading.Event()
        """Until it is set, pages wait for their responses."""
        self.open.set()
        self.framing = False
        """Whether pages may be shown in the frame of `/frame`."""

    def publish(self, folder: Path) -> None:
        """Publish the build into `folder`, and serve that from now on."""
        self.site = Site(publish("http://localhost", self.build, folder))


@contextmanager
def serve(server: SiteServer) -> Iterator[str]:
    """The address at which the site is served."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.requested.append(self.path)
            answer = server.site.answer(PageRequest(self.path, Headers(dict(self.headers))))
            if server.framing:
                answer = HTMLResponse(FRAME) if self.path == "/frame" else answer
                del answer.headers["content-security-policy"]
            page = self.path in server.site.pages
            if page:
                server.open.wait(60)
            self.send_response((page and server.status) or answer.status_code)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(BrokenPipeError):
                # A browser may disconnect before the end.
                self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://localhost:{http.server_address[1]}"
        http.shutdown()


def small_build(folder: Path, words: str) -> Path:
    """Two pages as a build would have them, with a picture that is shown and one that is not, and what the offline page needs."""
    head = '<head><title>Small</title><meta name="picture" content="/art/far.svg"></head>'
    page = f'<!doctype html><html>{head}<body>{words}<img src="/art/near.svg"></body></html>'
    drawn = {"art/near.svg": DRAWN, "art/far.svg": DRAWN}
    styles = {f"styles/{name}.css": "" for name in ("tokens", "site", "articles", "plain", "adapted")}
    for name, text in {
        "index.html": page,
        "about/index.html": page,
        "logo.svg": DRAWN,
        **drawn,
        **styles,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
