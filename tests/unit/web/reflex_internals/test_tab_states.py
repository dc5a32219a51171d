"""States of disconnected tabs."""

import inspect
from typing import Any

import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken

from agency_site.web.reflex_internals.tab_states import MOST_DISCONNECTED, DisconnectedTabs
from tests.unit.web.reflex_internals.contract import contract, parameters


async def open_tabs(states: Any, tabs: list[str]) -> None:
    """Give each tab a state."""
    for tab in tabs:
        async with states.modify_state(BaseStateToken(ident=tab, cls=rx.State)):
            pass


async def test_the_states_of_the_latest_tabs_that_have_gone_are_kept() -> None:
    memory: Any = StateManagerMemory
    states = memory()
    tabs = [f"tab-{number}" for number in range(MOST_DISCONNECTED + 3)]
    await open_tabs(states, tabs)
    disconnected = DisconnectedTabs(states, rx.State)
    for tab in tabs[:-1]:
        disconnected.add(tab)
    disconnected.remove(tabs[2])
    disconnected.add(tabs[-1])
    kept_tabs = {token.ident for _, token in states._token_expires_at.values()}
    assert kept_tabs == set(tabs) - {tabs[0], tabs[1]}
    assert len(states.states) == len(kept_tabs)


async def test_a_tab_whose_event_is_being_handled_keeps_its_state() -> None:
    memory: Any = StateManagerMemory
    states = memory()
    tabs = [f"tab-{number}" for number in range(MOST_DISCONNECTED + 1)]
    await open_tabs(states, tabs)
    disconnected = DisconnectedTabs(states, rx.State)
    async with states.modify_state(BaseStateToken(ident=tabs[0], cls=rx.State)):
        for tab in tabs:
            disconnected.add(tab)
        assert len(states.states) == len(tabs)


def test_states_in_memory_are_removed_by_this_method() -> None:
    with contract("states in memory have locks and are removed by _purge_token"):
        from reflex.app import EventNamespace

        assert parameters(StateManagerMemory._purge_token) == ["self", "token"]
        assert "_states_locks" in inspect.getsource(StateManagerMemory)
        assert parameters(EventNamespace.on_disconnect) == ["self", "sid"]
        assert "_state" in rx.App.__dataclass_fields__
