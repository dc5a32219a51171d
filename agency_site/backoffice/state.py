"""The state that all back-office pages share, and the check that each of its handlers is declared."""

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


def _permission_of_screen(state: "StaffState", *_sent: object, **_named: object) -> Permission | None:
    path = str(state.router.url.path).rstrip("/")
    return next((screen.permission for screen in screens() if screen.path == path), None)


class StaffState(rx.State):
    """The signed-in member of staff, attention counts, and the result of the last event.

    This state and the states below are never part of a snapshot: neither of the one in the compiled scripts of every page,
    nor of the one for a connecting browser, which may belong to another person by then. Content leaves the server only as
    the result of a declared handler. The server keeps it for one session: a page that reconnects continues, another session
    gets an empty state.
    """

    opened: rx.Field[bool] = rx.field(False)
    """Access is granted and the page is filled."""
    account: rx.Field[str] = rx.field("")
    """The account whose drafts the browser may show."""
    name: rx.Field[str] = rx.field("")
    role: rx.Field[str] = rx.field("")
    permissions: rx.Field[list[str]] = rx.field(default_factory=list)
    badges: dict[str, int] = {}
    """Attention counts by the path of their screen."""
    warnings: rx.Field[list[str]] = rx.field(default_factory=list)
    """The most urgent one first."""
    away: rx.Field[str] = rx.field("")
    """The address to leave for after the session has ended."""
    refusal: rx.Field[str] = rx.field("")
    """Why access is refused."""
    way_out: rx.Field[str] = rx.field("")
    """The page that helps after a refusal; empty if none does."""
    problem: rx.Field[str] = rx.field("")
    """Why the last event changed nothing."""
    done: rx.Field[str] = rx.field("")
    """The result of the last event."""
    errors: dict[str, str] = {}
    """Messages next to fields."""
    subject: rx.Field[list[str]] = rx.field(default_factory=list)
    """Reference and name of the record that the page shows, for its title; empty for other pages."""
    answer: dict[str, str] = {}
    """The result of the last submitted form: its `key`, and an `outcome` that `drafts.jsx` knows."""
    search_words: rx.Field[str] = rx.field("")
    """The words in the search box."""
    _path: str = ""
    """The screen in the browser; empty for none."""
    _holder: str = ""
    """The hash of the session token for which the screen was filled; empty if it is not filled."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Reject a class that hides a field, or has a handler without a decorator of `access_control`."""
        _require_own_names(cls)
        super().__init_subclass__(**options)
        _require_declared(cls)

    @staff_event(Permission.ENTER)
    async def search(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Search all lists for a reference, name, e-mail address or phone number."""
        words = " ".join(submitted(form).get("q", "").split())[:80]
        if not words:
            return None
        self.search_words = words
        return rx.redirect(f"/admin/search?{urlencode({'q': words})}")

    @staff_watch(_permission_of_screen)
    async def stay(self, _who: Staff) -> None:
        """Do nothing; access control empties the page if the session or the permission has ended."""

    @staff_watch(_permission_of_screen)
    async def refresh_badges(self, who: Staff) -> None:
        """Show the current attention counts and warnings."""
        await self._refresh_badges(who)
        if (warnings := due_warnings(who)) != self.warnings:
            self.warnings = warnings

    async def _refresh_badges(self, who: Staff) -> None:
        counts = await attention_counts(who)
        if counts != self.badges:
            self.badges = counts

    async def _recount(self, who: Staff) -> None:
        """Update the attention counts after a change. Called by access control after a handler."""
        if self.done:
            await self._refresh_badges(who)

    def _root(self) -> "StaffState":
        """Return the shared part of the tab's back-office states."""
        state: Any = self
        while type(state) is not StaffState:
            state = state.parent_state
        return state

    def _empty(self) -> None:
        """Clear everything that the page shows, in the browser too."""
        self._root().reset()

    def _begin(self) -> None:
        """Forget the screen that was open before; the same screen keeps its content until its new rows have arrived."""
        root, path = self._root(), str(self.router.url.path)
        if root._path != path:
            root.reset()
            root._path = path
        root.problem, root.done, root.errors = "", "", {}

    def _claim(self) -> None:
        """Forget content of another session than the one whose cookie the browser presents."""
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
        """Send every variable with the answer, because the browser may have been reloaded and hold nothing."""
        state: Any = self
        while True:
            state.dirty_vars.update(state.base_vars)
            state._mark_dirty()
            if type(state) is StaffState:
                return
            state = state.parent_state

    def _is_filled(self) -> bool:
        """Return whether the screen in the browser is the one that was opened last."""
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
        """Leave for the sign-in page, which leads back here; `signed_out` if the same browser has signed out."""
        url = self.router.url
        here = f"{url.path}?{url.query}" if url.query else url.path
        reason = "&said=signed-out" if signed_out else ""
        self.away = f"{SIGN_IN}?next={quote(here, safe='/')}{reason}"

    def _refuse(self, message: str, way_out: str = "") -> None:
        """Show why access is refused, and link to the page `way_out` if it helps."""
        self.refusal, self.way_out = message, way_out

    def _fail(self, message: str, fields: Mapping[str, str]) -> None:
        """Show what is wrong with the request."""
        self.done, self.problem, self.errors = "", message, dict(fields)

    def _say(self, message: str) -> None:
        """Show the result of an event; earlier errors are cleared."""
        self.done, self.problem, self.errors = message, "", {}

    async def _welcome(self, who: Staff) -> None:
        """Fill the frame around every page. Called by access control before a page's opening handler."""
        self.account = str(who.account_id)
        self.name, self.role = who.name, ROLE_NAMES[who.role]
        self.permissions = sorted(
            permission.value for permission in Permission if who.has_permission(permission)
        )
        self.badges, self.warnings = await attention_counts(who), due_warnings(who)
        self.opened = True

    @replaces_reflex_method
    def dict(self, include_computed: bool = True, initial: bool = False, **_options: Any) -> dict[str, Any]:  # noqa: FBT001, FBT002 - the signature is Reflex's
        """Return no variables, so that a connecting browser gets the page as empty as it was compiled.

        The stored content is for the same session only: a browser with another cookie, or none, discards it.
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
    # A field with the same name would be filled instead of that of `StaffState`, which the frame shows.
    if hidden := set(get_annotations(state)) & set(StaffState.get_fields()):
        raise TypeError(f"{state.__name__} hides {', '.join(sorted(hidden))} of StaffState")


_require_declared(StaffState)


def due_warnings(who: Staff) -> list[str]:
    """Return the warnings for `who`: first what bars them from their work, then false payments, then mail that is not sent."""
    warnings = {
        "Your role requires a second factor. Set it up to use the rest of the back office.": who.held_back,
        "The M-Pesa simulator is on. No real money is moved.": settings().simulator,
        "Mail stays in the outbox. No e-mail is being sent.": not settings().smtp_host,
    }
    return [warning for warning, is_due in warnings.items() if is_due]


async def attention_counts(who: Staff) -> dict[str, int]:
    """Return the number of records that need staff action on each screen that `who` may see."""
    async with report_scope() as session:
        return {
            screen.path: await screen.count_attention(session)
            for screen in screens()
            if screen.count_attention and who.has_permission(screen.permission)
        }


def has_permission(permission: Permission) -> rx.Var[bool]:
    """Return a variable for showing and hiding by permission; only access control protects anything."""
    return StaffState.permissions.contains(permission.value)
