"""Downloads of calendars from real servers on this machine: what is followed, what is refused, and how failures read."""

import gzip
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence

import brotli
import pytest

from agency_site.features.booking.busy_calendars import download
from agency_site.features.booking.busy_calendars.download import (
    Download,
    Resolve,
    Validators,
    download_calendar,
)
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from tests.calendar_server import CERTIFICATE, CalendarServer, Reply, calendar_server
from tests.servers import free_port

CALENDAR = "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n"
PUBLIC = "93.184.216.34"


@pytest.fixture
def server(configure: Callable[..., object]) -> Iterator[CalendarServer]:
    """A server of calendars; the setting allows this machine."""
    configure(calendar_loopback=True)
    with calendar_server() as running:
        yield running


@pytest.fixture
def secure_server(configure: Callable[..., object]) -> Iterator[CalendarServer]:
    configure(calendar_loopback=True)
    with calendar_server(tls=True) as running:
        yield running


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def answering(*addresses: str) -> Resolve:
    """Return a name server that gives every name these addresses, and records the names."""

    async def resolve(host: str, _port: int) -> Sequence[str]:
        resolve.names.append(host)  # type: ignore[attr-defined]
        return addresses

    resolve.names = []  # type: ignore[attr-defined]
    return resolve


async def refusal(address: str, **options: object) -> str:
    """Return why a calendar is not read."""
    with pytest.raises(CalendarUnreadable) as refused:
        await download_calendar(address, **options)  # type: ignore[arg-type]
    return str(refused.value)


class TestContent:
    async def test_a_calendar_is_read_and_is_not_sent_again_while_it_is_the_same(
        self, server: CalendarServer
    ) -> None:
        address = server.serve("/private.ics", CALENDAR)
        first = await download_calendar(address)
        assert isinstance(first, Download)
        assert first.content.splitlines()[0] == b"BEGIN:VCALENDAR"
        assert await download_calendar(address, first.validators) is None
        server.serve("/private.ics", CALENDAR.replace("2.0", "2.1"))
        changed = await download_calendar(address, first.validators)
        assert changed is not None
        assert changed.validators != first.validators

    async def test_the_time_of_the_last_change_is_sent_too(self, server: CalendarServer) -> None:
        changed = "Fri, 20 Nov 2026 09:00:00 GMT"
        server.replies["/a.ics"] = Reply(CALENDAR.encode(), headers={"Last-Modified": changed})
        first = await download_calendar(f"{server.origin}/a.ics")
        assert first is not None
        assert first.validators == Validators("", changed)
        await download_calendar(f"{server.origin}/a.ics", first.validators)
        assert server.requests[-1][1]["if-modified-since"] == changed

    async def test_https_is_checked_against_the_name_while_the_connection_goes_to_the_address(
        self, secure_server: CalendarServer
    ) -> None:
        address = secure_server.serve("/a.ics", CALENDAR)
        assert await download_calendar(address, certificates=trusting())
        _, headers = secure_server.requests[-1]
        assert headers["host"] == secure_server.origin.removeprefix("https://")
        stranger = address.replace("localhost", "calendar.example")
        problem = await refusal(stranger, certificates=trusting(), resolve=answering("127.0.0.1"))
        assert problem == "The certificate of the calendar's server is not valid."

    async def test_a_certificate_of_no_known_authority_is_refused(
        self, secure_server: CalendarServer
    ) -> None:
        problem = await refusal(secure_server.serve("/a.ics", CALENDAR))
        assert problem == "The certificate of the calendar's server is not valid."

    async def test_a_password_in_the_address_is_sent(self, server: CalendarServer) -> None:
        address = server.serve("/a.ics", CALENDAR).replace("http://", "http://user:secret@")
        assert await download_calendar(address)
        assert server.requests[-1][1]["authorization"].startswith("Basic ")


class TestRedirects:
    async def test_three_redirects_are_followed_and_a_fourth_is_not(self, server: CalendarServer) -> None:
        server.serve("/0", CALENDAR)
        for number in range(1, 5):
            server.replies[f"/{number}"] = Reply(status=302, headers={"Location": f"/{number - 1}"})
        assert await download_calendar(f"{server.origin}/3")
        assert await refusal(f"{server.origin}/4") == "The calendar's server redirects too often."

    @pytest.mark.parametrize(
        "target",
        [
            "https://169.254.169.254/latest/meta-data",
            "https://10.0.0.1/",
            "https://[::ffff:10.0.0.1]/",
            "https://2130706433.example/",
        ],
    )
    async def test_a_redirect_into_a_private_network_is_refused(
        self, server: CalendarServer, target: str
    ) -> None:
        server.replies["/a.ics"] = Reply(status=301, headers={"Location": target})

        async def resolve(host: str, port: int) -> Sequence[str]:
            return ["10.0.0.9"] if host.endswith(".example") else await download.resolve_name(host, port)

        problem = await refusal(f"{server.origin}/a.ics", resolve=resolve)
        assert problem == "This address is inside a private network, so it is not read."
        assert len(server.requests) == 1

    @pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://localhost/", ""])
    async def test_a_redirect_to_another_kind_of_address_is_refused(
        self, server: CalendarServer, target: str
    ) -> None:
        server.replies["/a.ics"] = Reply(status=302, headers={"Location": target})
        assert await refusal(f"{server.origin}/a.ics")


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        [
            "https://127.0.0.1/",
            "https://localhost/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://[::1]/",
        ],
    )
    async def test_this_machine_is_refused_without_the_setting(self, address: str) -> None:
        assert "private network" in await refusal(address)

    @pytest.mark.parametrize(
        "private", ["10.1.2.3", "192.168.0.10", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1"]
    )
    async def test_a_name_with_a_private_address_is_refused_even_beside_a_public_one(
        self, private: str
    ) -> None:
        assert "private network" in await refusal(
            "https://calendar.example/a.ics", resolve=answering(private)
        )
        both = answering(PUBLIC, private)
        assert "private network" in await refusal("https://calendar.example/a.ics", resolve=both)

    async def test_the_setting_allows_this_machine_and_no_other(
        self, configure: Callable[..., object]
    ) -> None:
        configure(calendar_loopback=True)
        assert "private network" in await refusal("https://calendar.example/", resolve=answering("10.0.0.1"))
        assert "private network" in await refusal("http://calendar.example/", resolve=answering(PUBLIC))

    async def test_a_name_is_resolved_once_so_that_another_answer_has_no_effect(
        self, server: CalendarServer
    ) -> None:
        resolve = answering("127.0.0.1")
        address = server.serve("/a.ics", CALENDAR).replace("localhost", "calendar.example")
        assert await download_calendar(address, resolve=resolve)
        assert resolve.names == ["calendar.example"]  # type: ignore[attr-defined]

    async def test_the_next_address_is_tried_if_one_does_not_answer(self, server: CalendarServer) -> None:
        # The server listens on the second one only.
        assert await download_calendar(
            server.serve("/a.ics", CALENDAR), resolve=answering("127.0.0.2", "127.0.0.1")
        )


class TestFailures:
    @pytest.mark.parametrize(
        ("status", "words"),
        [(401, "password"), (403, "refuses access"), (404, "no calendar"), (410, "no calendar"), (429, "too often"),
         (500, "error 500")],
    )  # fmt: skip
    async def test_an_error_of_the_server_is_explained(
        self, server: CalendarServer, status: int, words: str
    ) -> None:
        server.replies["/a.ics"] = Reply(status=status)
        assert words in await refusal(f"{server.origin}/a.ics")

    async def test_a_large_calendar_is_refused(
        self, server: CalendarServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(download, "MAX_BYTES", 2_000_000)
        server.replies["/a.ics"] = Reply(b"X" * 2_000_001)
        assert await refusal(f"{server.origin}/a.ics") == "The calendar has more than 2 MB."
        packed = gzip.compress(b"X" * 2_000_001)
        server.replies["/a.ics"] = Reply(packed, headers={"Content-Encoding": "gzip"})
        assert await refusal(f"{server.origin}/a.ics") == "The calendar has more than 2 MB."
        server.replies["/a.ics"] = Reply(b"X" * 2_000_000)
        assert await download_calendar(f"{server.origin}/a.ics")

    async def test_an_encoding_that_was_not_asked_for_is_refused(self, server: CalendarServer) -> None:
        server.replies["/a.ics"] = Reply(brotli.compress(b"X"), headers={"Content-Encoding": "br"})
        assert "encoding" in await refusal(f"{server.origin}/a.ics")

    async def test_a_server_that_takes_too_long_is_left(
        self, server: CalendarServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(download, "MAX_SECONDS", 0.2)
        end = threading.Event()
        server.replies["/a.ics"] = Reply(b"BEGIN", waits=end)
        assert "within 0 seconds" in await refusal(f"{server.origin}/a.ics")
        end.set()

    async def test_nobody_listens(self, configure: Callable[..., object]) -> None:
        configure(calendar_loopback=True)
        assert "cannot be reached" in await refusal(f"http://127.0.0.1:{free_port()}/")

    async def test_a_name_without_a_server_is_explained(self) -> None:
        assert await refusal("https://calendar.invalid/a.ics") == "There is no server with that name."
        assert await refusal(f"https://{'a' * 64}.example/a.ics") == "There is no server with that name."

    async def test_what_is_no_http_is_explained(
        self, configure: Callable[..., object], secure_server: CalendarServer
    ) -> None:
        problem = await refusal(secure_server.origin.replace("https", "http"))
        assert problem == "The connection to the calendar's server failed."
