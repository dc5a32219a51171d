"""The state that all back-office pages share, and the rule that none of its handlers is open."""

from collections.abc import Mapping
from inspect import get_annotations
from typing import Any
from urllib.parse import quote, urlencode

import reflex as rx

from agency_site.auth.cookies import token_of
from agency_site.auth.rules import ROLE_NAMES, Permission, Staff
from agency_site.auth.submissions import AlreadyApplied
from agency_site.backoffice.access_control import permission_of, staff_event, staff_watch
from agency_site.backoffice.screens import screens
from agency_site.db.engine import report_scope
from agency_site.ids import token_hash
from agency_site.settings import settings
from agency_site.ui.forms import submitted
from agency_site.web.reflex_internals.states import replaces_reflex_method

SIGN_IN = "/admin/sign-in"


def _permission_of_screen(state: "StaffState") -> Permission | None:
    path = str(state.router.url.path).rstrip("/")
    return next((screen.permission for screen in screens() if screen.path == path), None)


class StaffState(rx.State):
    """Who is signed in, what needs attention, and the outcome of the last event.

    Nothing of it and of the states below is ever part of a snapshot: neither of the one that the compiler bakes into
    every page's scripts, nor of the one that answers a connecting browser, whoever that is by then. What a page shows
    leaves the server only as the outcome of a declared handler. The server keeps it for one session: a page that connects
    again goes on where it was, another session finds nothing.
    """

    opened: rx.Field[bool] = rx.field(False)
    """The page may be seen and is filled."""
    account: rx.Field[str] = rx.field("")
    """Whose drafts the browser may show."""
    name: rx.Field[str] = rx.field("")
    role: rx.Field[str] = rx.field("")
    permissions: rx.Field[list[str]] = rx.field(default_factory=list)
    badges: dict[str, int] = {}
    """Attention counts by the path of their screen."""
    simulated: rx.Field[bool] = rx.field(False)
    """M-Pesa is simulated."""
    kept: rx.Field[bool] = rx.field(False)
    """Mail stays in the outbox."""
    away: rx.Field[str] = rx.field("")
    """Where the browser has to go: the session is over."""
    refusal: rx.Field[str] = rx.field("")
    """Why the page cannot be seen."""
    way_out: rx.Field[str] = rx.field("")
    """The page that helps whoever is refused; empty: none does."""
    problem: rx.Field[str] = rx.field("")
    """Why the last event changed nothing."""
    done: rx.Field[str] = rx.field("")
    """What the last event did."""
    errors: dict[str, str] = {}
    """Messages next to fields."""
    answer: dict[str, str] = {}
    """What became of the form that was submitted last: its `key`, and an `outcome` as `drafts.jsx` knows it."""
    _path: str = ""
    """The screen that the browser shows; empty: none."""
    _holder: str = ""
    """The digest of the session's token in which it is shown; empty: nothing is."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse a class with a handler that is not declared with a decorator of `access_control`, or that hides a field."""
        _require_own_names(cls)
        super().__init_subclass__(**options)
        _require_declared(cls)

    @staff_event(Permission.ENTER)
    async def search(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Search all lists for a reference, name, e-mail address or phone number."""
        words = submitted(form).get("q", "").strip()[:80]
        return rx.redirect(f"/admin/search?{urlencode({'q': words})}") if words else None

    @staff_watch(_permission_of_screen)
    async def stay(self, _who: Staff) -> None:
        """Nothing, as long as the page may be seen: access control empties it when the session or the permission is gone."""

    @staff_watch(_permission_of_screen)
    async def refresh_badges(self, who: Staff) -> None:
        """Show the current attention counts, whoever changed them."""
        await self._refresh_badges(who)

    async def _refresh_badges(self, who: Staff) -> None:
        counts = await attention_counts(who)
        if counts != self.badges:
            self.badges = counts

    async def _recount(self, who: Staff) -> None:
        """Update the attention counts after something was done. Called by access control after a handler."""
        if self.done:
            await self._refresh_badges(who)

    def _root(self) -> "StaffState":
        """The shared part of the tab's back-office states."""
        state: Any = self
        while type(state) is not StaffState:
            state = state.parent_state
        return state

    def _empty(self) -> None:
        """Clear everything that the page shows, in the browser too."""
        self._root().reset()

    def _begin(self) -> None:
        """Forget the screen that was open before; the same one keeps what it shows until its new rows are there."""
        root, path = self._root(), str(self.router.url.path)
        if root._path != path:
            root.reset()
            root._path = path
        root.problem, root.done, root.errors = "", "", {}

    def _claim(self) -> None:
        """Forget what the page showed in another session than the one whose cookie the browser presents."""
        root, presented = self._root(), self._presented()
        if root._holder not in {"", presented}:
            path = root._path
            root.reset()
            root._path = path
        root._holder = presented

    def _presented(self) -> str:
        token = token_of(str(self.router.headers.cookie))
        return token_hash(token) if token else ""

    def _send_all(self) -> None:
        """Send every variable with the answer: the browser may have been reloaded and hold nothing."""
        state: Any = self
        while True:
            state.dirty_vars.update(state.base_vars)
            state._mark_dirty()
            if type(state) is StaffState:
                return
            state = state.parent_state

    def _is_filled(self) -> bool:
        """Whether the screen in the browser is the one that was opened last."""
        return self._root()._path == str(self.router.url.path)

    def _acknowledge(self, key: str, applied: bool, again: bool) -> None:  # noqa: FBT001 - two facts of one submit
        """Acknowledge the form that the browser submitted under `key`."""
        if applied and (self.problem or (again and not self.done)):
            self._say(AlreadyApplied().message)
        if applied:
            outcome = "saved"
        elif getattr(self, "conflicts", None):
            outcome = "disputed"
        else:
            outcome = "refused" if self.problem or self.errors else "saved"
        self.answer = {"key": key, "outcome": outcome}

    def _acknowledge_nothing(self) -> None:
        """Forget which form was submitted last."""
        if self.answer:
            self.answer = {}

    def _leave(self, *, signed_out: bool) -> None:
        """Leave for the sign-in page, and come back after it; `signed_out`: the same browser has signed out."""
        url = self.router.url
        here = f"{url.path}?{url.query}" if url.query else url.path
        said = "&said=signed-out" if signed_out else ""
        self.away = f"{SIGN_IN}?next={quote(here, safe='/')}{said}"

    def _refuse(self, message: str, way_out: str = "") -> None:
        """Say why not, and which page helps."""
        self.refusal, self.way_out = message, way_out

    def _fail(self, message: str, fields: Mapping[str, str]) -> None:
        """Say what is wrong with what was asked for."""
        self.done, self.problem, self.errors = "", message, dict(fields)

    def _say(self, message: str) -> None:
        """Show what was done; earlier errors are cleared."""
        self.done, self.problem, self.errors = message, "", {}

    async def _welcome(self, who: Staff) -> None:
        """Fill what the frame around every page shows. Called by access control before a page's opening handler."""
        self.account = str(who.account_id)
        self.name, self.role = who.name, ROLE_NAMES[who.role]
        self.permissions = sorted(
            permission.value for permission in Permission if who.has_permission(permission)
        )
        self.simulated, self.kept = settings().simulator, not settings().smtp_host
        self.badges = await attention_counts(who)
        self.opened = True

    @replaces_reflex_method
    def dict(self, include_computed: bool = True, initial: bool = False, **_options: Any) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the signature is Reflex's
        """Nothing, ever; a browser that connects finds the page as empty as it was compiled.

        What is kept for it waits for the same session: whoever presents another cookie, or none, makes it go.
        """
        if not initial:
            if not self._holder or self._holder != self._presented():
                self.reset()
            self._clean()
        return {}


def _require_declared(state: type[rx.State]) -> None:
    for name, handler in state.event_handlers.items():
        if name not in rx.State.event_handlers and permission_of(handler.fn) is None:
            raise TypeError(
                f"{state.__name__}.{name} has to be declared with a decorator of backoffice.access_control"
            )


def _require_own_names(state: type[rx.State]) -> None:
    # The frame of every page shows the fields of `StaffState`; a second one of the same name would be filled instead.
    if hidden := set(get_annotations(state)) & set(StaffState.get_fields()):
        raise TypeError(f"{state.__name__} hides {', '.join(sorted(hidden))} of StaffState")


_require_declared(StaffState)


async def attention_counts(who: Staff) -> dict[str, int]:
    """How many records need staff action on each screen that `who` may see."""
    async with report_scope() as session:
        return {
            screen.path: await screen.count_attention(session)
            for screen in screens()
            if screen.count_attention and who.has_permission(screen.permission)
        }


def has_permission(permission: Permission) -> rx.Var[bool]:
    """Whether the page's reader has that permission: for showing and hiding; access control decides."""
    return StaffState.permissions.contains(permission.value)
