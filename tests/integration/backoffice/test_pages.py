"""The pages in front of the back office over HTTP: forms, cookies, statuses, and posts of other sites."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from html import unescape
from http.cookies import Morsel, SimpleCookie
from pathlib import PurePosixPath

import httpx
import pyotp
import pytest
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site import clock
from agency_site.auth import accounts, one_time_links, second_factor, sessions, usecases
from agency_site.auth.api import ENDINGS
from agency_site.auth.attempts import PER_SOURCE
from agency_site.auth.rules import ABSOLUTE, IDLE, Role, SessionEnd, Staff
from agency_site.auth.tables import StaffAccount
from agency_site.backoffice.accounts.own_account_state import OwnAccountState
from agency_site.db.engine import read_scope, session_scope
from agency_site.settings import Settings
from tests.http_clients import ORIGIN
from tests.integration.backoffice.conftest import (
    PASSWORD,
    Tab,
    enter,
    find_signed_in,
    hire,
    mailed_link,
    on_duty,
)

Configure = Callable[..., Settings]
AMINA = {"email": "amina@mwanga.example", "password": PASSWORD}


def cookies_of(answer: httpx.Response) -> dict[str, Morsel[str]]:
    """Return the cookies of a response with their attributes."""
    jar: SimpleCookie = SimpleCookie()
    for header in answer.headers.get_list("set-cookie"):
        jar.load(header)
    return dict(jar)


async def test_the_right_password_leads_to_the_wanted_page(visitor: httpx.AsyncClient) -> None:
    await hire()
    form = await visitor.get("/admin/sign-in", params={"next": "/admin/bookings?day=2026-11-24&q=a"})
    assert 'name="next" value="/admin/bookings?day=2026-11-24&amp;q=a"' in form.text
    answer = await visitor.post("/admin/sign-in", data=AMINA | {"next": "/admin/bookings?day=2026-11-24"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/bookings?day=2026-11-24")
    who = await find_signed_in(answer.cookies["staff"])
    assert who is not None
    assert who.email == "amina@mwanga.example"
    again = await visitor.get("/admin/sign-in", params={"next": "/admin/payments"})
    assert (again.status_code, again.headers["location"]) == (303, "/admin/payments")


@pytest.mark.parametrize(
    ("public_url", "name", "secure"),
    [("", "staff", ""), ("https://mwanga.example", "__Host-staff", True)],
)
async def test_the_cookie_is_for_the_site_alone_and_on_https_for_https_alone(
    visitor: httpx.AsyncClient, configure: Configure, public_url: str, name: str, secure: object
) -> None:
    origin = configure(public_url=public_url).origins[0]
    await hire()
    visitor.base_url, visitor.headers["Origin"] = httpx.URL(origin), origin
    answer = await visitor.post("/admin/sign-in", data=AMINA)
    cookies = cookies_of(answer)
    assert set(cookies) == {name, f"{name}-device", f"{name}-code"}
    for cookie in cookies.values():
        assert (cookie["httponly"], cookie["samesite"], cookie["path"], cookie["domain"]) == (
            True,
            "strict",
            "/",
            "",
        )
        assert cookie["secure"] == secure
    assert cookies[name]["max-age"] == ""


async def test_errors_are_shown_next_to_their_field_and_the_password_is_never_sent_back(
    visitor: httpx.AsyncClient,
) -> None:
    await hire()
    wrong = await visitor.post(
        "/admin/sign-in", data={"email": "Amina@x.example", "password": "secret guess"}
    )
    assert wrong.status_code == 401
    assert 'value="Amina@x.example"' in wrong.text
    assert 'id="password-error"' in wrong.text
    assert 'aria-describedby="password-error" aria-invalid="true" autofocus' in wrong.text
    assert "secret guess" not in wrong.text
    assert cookies_of(wrong) == {}
    empty = await visitor.post("/admin/sign-in", data={"email": "", "password": ""})
    assert empty.status_code == 422
    assert empty.text.count('aria-invalid="true"') == 2
    assert empty.text.count("autofocus") == 1


async def test_too_many_attempts_answer_429_with_the_time_to_wait(visitor: httpx.AsyncClient) -> None:
    for _ in range(PER_SOURCE):
        assert (await visitor.post("/admin/sign-in", data=AMINA)).status_code == 401
    limited = await visitor.post("/admin/sign-in", data=AMINA)
    assert limited.status_code == 429
    assert 0 < int(limited.headers["retry-after"]) <= 900
    assert 'role="alert"' in limited.text


FROM_ELSEWHERE: tuple[dict[str, str], ...] = (
    {"Origin": "https://elsewhere.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": f"{ORIGIN}.elsewhere.example"},
    {"Referer": "https://elsewhere.example/localhost:3000"},
    {},
)


@pytest.mark.parametrize(
    "path", ["sign-in", "sign-in/code", "sign-out", "sign-out-everywhere", "set-up/x", "reset/x"]
)
async def test_posts_from_elsewhere_do_nothing(visitor: httpx.AsyncClient, path: str) -> None:
    await hire()
    signed = await visitor.post("/admin/sign-in", data=AMINA)
    del visitor.headers["Origin"]
    for headers in FROM_ELSEWHERE:
        answer = await visitor.post(f"/admin/{path}", data=AMINA, headers=headers)
        assert answer.status_code == 403, headers
        assert cookies_of(answer) == {}, headers
        assert await find_signed_in(signed.cookies["staff"]), headers


async def test_without_an_origin_the_referring_page_counts(visitor: httpx.AsyncClient) -> None:
    await hire()
    del visitor.headers["Origin"]
    answer = await visitor.post("/admin/sign-in", data=AMINA, headers={"Referer": f"{ORIGIN}/admin/sign-in"})
    assert answer.status_code == 303


@pytest.mark.parametrize(
    "body", [b"email=\xff\xfe", b"&" * 16000, b"a=b" * 6000, b"email=%00%ED%A0%80&password=%00", b"{}"]
)
async def test_malformed_bodies_are_rejected_without_an_error(
    visitor: httpx.AsyncClient, body: bytes
) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in ("sign-in", "sign-in/code", "set-up/x", "invitation/x"):
        answer = await visitor.post(f"/admin/{path}", content=body, headers=form)
        assert answer.status_code in {303, 401, 404, 422}


async def test_the_second_page_asks_for_the_code(visitor: httpx.AsyncClient) -> None:
    who = await on_duty()
    offer = await second_factor.begin_totp(session_scope, who, PASSWORD)
    async with session_scope() as session:
        await second_factor.confirm_totp(
            session, who, pyotp.TOTP(offer.secret).at(clock.now() - timedelta(seconds=30))
        )
    onward = await visitor.post("/admin/sign-in", data=AMINA | {"next": "/admin/bookings"})
    assert onward.headers["location"] == "/admin/sign-in/code?next=/admin/bookings"
    assert set(cookies_of(onward)) == {"staff-code"}
    assert cookies_of(onward)["staff-code"]["max-age"] == "300"
    assert "one-time-code" in (await visitor.get(onward.headers["location"])).text
    assert (
        "An owner of the back office can remove the authenticator"
        in (await visitor.get("/admin/sign-in/code")).text
    )
    wrong = await visitor.post("/admin/sign-in/code", data={"code": "000000"})
    assert wrong.status_code == 401
    assert 'aria-describedby="code-error code-hint"' in wrong.text
    empty = await visitor.post("/admin/sign-in/code", data={"recovery": " "})
    assert empty.status_code == 422
    assert '<details class="entry-more" open>' in empty.text
    code = pyotp.TOTP(offer.secret).at(clock.now())
    done = await visitor.post("/admin/sign-in/code", data={"code": code, "next": "/admin/bookings"})
    assert (done.status_code, done.headers["location"]) == (303, "/admin/bookings")
    assert await find_signed_in(done.cookies["staff"])
    assert cookies_of(done)["staff-code"].value == ""


async def test_a_code_without_a_password_before_leads_back(visitor: httpx.AsyncClient) -> None:
    assert (await visitor.get("/admin/sign-in/code")).headers["location"] == "/admin/sign-in"
    late = await visitor.post("/admin/sign-in/code", data={"code": "123456", "next": "/admin/mail"})
    assert late.headers["location"] == "/admin/sign-in?said=late&next=/admin/mail"
    assert "expired after five minutes" in (await visitor.get(late.headers["location"])).text


async def test_signing_out_ends_the_session_and_takes_the_cookie(visitor: httpx.AsyncClient) -> None:
    await hire()
    for path, said in (("sign-out", "You are signed out."), ("sign-out-everywhere", "signed out everywhere")):
        token = (await visitor.post("/admin/sign-in", data=AMINA)).cookies["staff"]
        out = await visitor.post(f"/admin/{path}", data={"password": PASSWORD})
        assert cookies_of(out)["staff"]["max-age"] == "0"
        assert await find_signed_in(token) is None
        assert said in (await visitor.get(out.headers["location"])).text


@pytest.mark.parametrize(
    ("form", "said"),
    [({}, "Please enter your password."), ({"password": "a wrong one"}, "The password is incorrect.")],
)
async def test_signing_out_everywhere_needs_the_password(
    visitor: httpx.AsyncClient, form: dict[str, str], said: str
) -> None:
    await hire()
    token = (await visitor.post("/admin/sign-in", data=AMINA)).cookies["staff"]
    answer = await visitor.post("/admin/sign-out-everywhere", data=form)
    assert (answer.status_code, said in answer.text) == (422, True)
    assert cookies_of(answer) == {}
    assert await find_signed_in(token)


async def test_without_a_session_signing_out_everywhere_asks_for_nothing(visitor: httpx.AsyncClient) -> None:
    out = await visitor.post("/admin/sign-out-everywhere")
    assert "You are signed out." in (await visitor.get(out.headers["location"])).text


@pytest.mark.usefixtures("database")
async def test_another_session_ends_only_after_the_password_was_given_again() -> None:
    await hire()
    other = (await enter()).token
    tab = Tab(OwnAccountState, (await enter()).token, "/admin/account")
    await tab.run("open_account")
    (chosen,) = [listed for listed in tab.state.browsers if not listed.here]
    await tab.run("ask_to_end", identity=chosen.id)
    assert tab.state.ending == chosen.id
    for password in ("", "a wrong one"):
        await tab.run("end_session", form={"password": password})
        assert await find_signed_in(other)
        assert tab.back_office.errors["password"]
    await tab.run("end_session", form={"password": PASSWORD})
    assert await find_signed_in(other) is None
    assert (tab.state.ending, len(tab.state.browsers)) == (0, 1)


@pytest.mark.usefixtures("database")
async def test_a_session_that_was_not_chosen_or_belongs_to_another_account_stays() -> None:
    await hire()
    stranger = await on_duty("owner@mwanga.example")
    tab = Tab(OwnAccountState, (await enter()).token, "/admin/account")
    await tab.run("open_account")
    for identity in (stranger.session_id, 0, -1, "1", [1]):
        await tab.run("ask_to_end", identity=identity)
        assert tab.state.ending == 0
        await tab.run("end_session", form={"password": PASSWORD})
    assert len(tab.state.browsers) == 1


async def test_the_first_owner_sets_up_the_back_office(visitor: httpx.AsyncClient) -> None:
    async with session_scope() as session:
        link = await one_time_links.make_setup_link(session)
    assert link
    assert link.startswith(f"{ORIGIN}/admin/set-up/")
    assert (await visitor.get(link)).status_code == 200
    form = {"email": "a@mwanga.example", "name": "Amina", "password": "short", "repeated": "short"}
    weak = await visitor.post(link, data=form)
    assert weak.status_code == 422
    assert 'value="Amina"' in weak.text
    done = await visitor.post(link, data=form | {"password": PASSWORD, "repeated": PASSWORD})
    assert (done.status_code, done.headers["location"]) == (303, "/admin")
    who = await find_signed_in(done.cookies["staff"])
    assert who is not None
    assert who.role is Role.OWNER
    assert (await visitor.get(link)).status_code == 404
    assert "This link has expired" in (await visitor.post(link, data=form)).text


@pytest.mark.parametrize("invited", [True, False])
async def test_a_one_time_link_lets_its_holder_choose_a_password(
    visitor: httpx.AsyncClient, invited: bool
) -> None:
    owner = await on_duty()
    async with session_scope() as session:
        await accounts.invite(session, "b@mwanga.example", "Brian", Role.VIEWER, owner)
        account = (await session.exec(select(StaffAccount).where(StaffAccount.name == "Brian"))).one()
        if not invited:
            account.password_hash = "some"
            await accounts.send_link(session, account.id or 0, owner)
        link = await mailed_link(session)
    assert PurePosixPath(link).parent.name == ("invitation" if invited else "reset")
    assert "b@mwanga.example" in (await visitor.get(link)).text
    unlike = await visitor.post(link, data={"password": PASSWORD, "repeated": "other"})
    assert unlike.status_code == 422
    assert "do not match" in unlike.text
    done = await visitor.post(link, data={"password": PASSWORD, "repeated": PASSWORD})
    assert done.headers["location"] == "/admin"
    assert await find_signed_in(done.cookies["staff"])
    async with read_scope() as session:
        assert (await accounts.find_account(session, account.id or 0)).invited is False


async def test_no_page_is_cached_framed_or_runs_scripts(visitor: httpx.AsyncClient) -> None:
    answers = [
        await visitor.get("/admin/sign-in"),
        await visitor.post("/admin/sign-in", data=AMINA),
        await visitor.post("/admin/sign-out"),
        await visitor.get("/admin/reset/nothing"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "style-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "noindex" in answer.headers["x-robots-tag"]
        assert "<script" not in answer.text
        assert "style=" not in answer.text


async def test_the_first_owner_is_led_to_the_second_factor_if_it_is_required(
    visitor: httpx.AsyncClient, configure: Callable[..., Settings], database: str
) -> None:
    configure(database_url=database, staff_second_factor_roles="owner,finance")
    async with session_scope() as session:
        link = await one_time_links.make_setup_link(session)
    assert link
    form = {"email": "a@mwanga.example", "name": "Amina", "password": PASSWORD, "repeated": PASSWORD}
    done = await visitor.post(link, data=form)
    assert (done.status_code, done.headers["location"]) == (303, "/admin/account")
    visitor.cookies.clear()
    again = await visitor.post("/admin/sign-in", data={**form, "next": "/admin/orders"})
    assert (again.status_code, again.headers["location"]) == (303, "/admin/account")


async def test_the_sign_in_page_says_why_a_session_ended_to_its_own_browser_only(
    visitor: httpx.AsyncClient, client: httpx.AsyncClient, noon: datetime
) -> None:
    await hire()
    owner = await on_duty("owner@mwanga.example")
    ways: dict[SessionEnd, Callable[[AsyncSession, Staff], Awaitable[object]]] = {
        SessionEnd.ELSEWHERE: lambda session, who: usecases.end_own_session(session, who, who.session_id),
        SessionEnd.OWNER: lambda session, who: accounts.end_sessions(session, who.account_id, owner),
        SessionEnd.ROLE: lambda session, who: accounts.change_role(
            session, who.account_id, Role.EDITOR, 1, owner
        ),
        SessionEnd.SECOND_FACTOR: lambda session, who: accounts.remove_second_factor(
            session, who.account_id, 2, owner
        ),
        SessionEnd.DISABLED: lambda session, who: accounts.disable(session, who.account_id, 3, owner),
    }
    for reason, end in ways.items():
        answer = await visitor.post("/admin/sign-in", data=AMINA)
        who = await find_signed_in(answer.cookies["staff"])
        assert who is not None
        async with session_scope() as session:
            await end(session, who)
        page = await visitor.get("/admin/sign-in", params={"next": "/admin/bookings"})
        assert ENDINGS[reason] in unescape(page.text), reason
        assert 'value="/admin/bookings"' in page.text
    page = await client.get("/admin/sign-in", headers={"Cookie": f"staff={'A' * 43}"})
    assert not any(words in unescape(page.text) for words in ENDINGS.values())


@pytest.mark.parametrize(("after", "reason"), [(IDLE, SessionEnd.IDLE), (ABSOLUTE, SessionEnd.EXPIRED)])
async def test_the_sign_in_page_says_that_a_session_is_too_old(
    visitor: httpx.AsyncClient, noon: datetime, after: timedelta, reason: SessionEnd
) -> None:
    await hire()
    await visitor.post("/admin/sign-in", data=AMINA)
    with clock.frozen(noon + after):
        assert ENDINGS[reason] in unescape((await visitor.get("/admin/sign-in")).text)


async def test_who_has_signed_out_reads_that_and_not_why_an_earlier_session_ended(
    visitor: httpx.AsyncClient,
) -> None:
    await hire()
    token = (await visitor.post("/admin/sign-in", data=AMINA)).cookies["staff"]
    await visitor.post("/admin/sign-out")
    assert "You are signed out." in (await visitor.get("/admin/sign-in?said=signed-out")).text
    async with read_scope() as session:
        assert await sessions.why_ended(session, token) is SessionEnd.SIGNED_OUT
        assert await sessions.why_ended(session, "") is None
