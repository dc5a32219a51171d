"""The page behind a private link: the record that its token opens, or that it opens none."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import reflex as rx
from fastapi import Request, Response
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.content.brand import BRAND
from agency_site.db.engine import read_scope
from agency_site.errors import NotFound
from agency_site.site.layout.served_pages import page_response, posted_page, see_other
from agency_site.ui.elements import Text, announced, notice, skeleton, text_link
from agency_site.ui.page_region import PageRegion
from agency_site.ui.server_html import render_html
from agency_site.ui.values import choose

_REGION = "record"


class PrivateLink(rx.State, mixin=True):
    """The record of the token at the end of the address."""

    loaded: rx.Field[bool] = rx.field(False)
    exists: rx.Field[bool] = rx.field(False)
    _opened: str = ""
    """The token that the rest belongs to."""

    @property
    def _token(self) -> str:
        return last_segment(self.router.url.path)

    def _reset_for_another_link(self) -> None:
        """Open dialogs and messages stay where the client has only reconnected: the token is the same."""
        if self._opened != self._token:
            self.reset()  # type: ignore[no-untyped-call]
        self._opened = self._token

    async def _load(self, find: Callable[[AsyncSession, str], Awaitable[Any]], token: str = "") -> None:
        """Look up the record of the page's token, or of `token` where no page is open."""
        try:
            async with read_scope() as session:
                self._show(await find(session, token or self._token))
            self.exists = True
        except NotFound:
            self.exists = False
        self.loaded = True

    def _show(self, record: Any) -> None:
        raise NotImplementedError


State = TypeVar("State", bound=PrivateLink)


def last_segment(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def private_link_page(
    state: type[PrivateLink],
    record: rx.Component,
    unknown: rx.Component,
    *,
    width: str = "max-w-[720px]",
    **props: object,
) -> rx.Component:
    """What the server has drawn (`PrivatePage`) until the token has been looked up, then the `record`, or `unknown`.

    A link inside the site shows a placeholder meanwhile. `width` is the class of what holds them.
    """
    placeholder = rx.el.div(skeleton("h-12 w-3/4 mb-4"), skeleton("h-40"))
    shown = rx.cond(~state.loaded, placeholder, rx.cond(state.exists, record, unknown))
    return rx.el.div(
        PageRegion.create(shown, name=_REGION, ready=state.loaded, class_name=width),
        class_name="wrap py-[clamp(40px,6vw,80px)] min-h-[60vh]",
        **props,
    )


@dataclass(frozen=True)
class PrivatePage:
    """A private page as the server answers it."""

    path: str
    """Of the published page, such as `/booking/-`."""
    unknown: rx.Component

    def show(
        self, request: Request, state: State, draw: Callable[[State], rx.Component], *, head: str = ""
    ) -> Response:
        """The page with what its record shows; 404 where the link opens none."""
        regions, status = self._draw(state, draw), 200 if state.exists else 404
        return page_response(request, self.path, regions, status=status, private=True, head=head)

    def answer(
        self,
        request: Request,
        state: State,
        draw: Callable[[State], rx.Component],
        typed: Mapping[str, str] | None = None,
        *,
        done: str = "",
        status: int = 409,
    ) -> Response:
        """The answer to a form: on to the address `done`, or else the page without scripts, which says why not.

        `typed` fills its fields.
        """
        if done:
            return see_other(done)
        regions, status = self._draw(state, draw, typed), status if state.exists else 404
        return posted_page(request, self.path, regions, status=status, private=True)

    def _draw(
        self,
        state: State,
        draw: Callable[[State], rx.Component],
        typed: Mapping[str, str] | None = None,
    ) -> dict[str, str]:
        return {_REGION: render_html(draw(state) if state.exists else self.unknown, typed)}


def unknown_link(
    heading: str, elsewhere: rx.Component, check: str = "the whole link from the e-mail"
) -> rx.Component:
    return rx.el.div(
        rx.el.h1(heading),
        rx.el.p(
            f"Please check that you opened {check}, or call us on ",
            text_link(BRAND.phone, f"tel:{BRAND.phone_e164}"),
            ".",
            class_name="text-lead mt-5 mb-8",
        ),
        elsewhere,
    )


def change_result(failure: Text, done: Text) -> rx.Component:
    """Why a change of the record was refused, or that it is done."""
    return rx.el.div(
        choose(failure != "", notice(rx.el.p(failure), tone="error", class_name="mb-5")),
        announced(done),
        class_name="mt-7",
    )
