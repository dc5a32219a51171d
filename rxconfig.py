"""Configuration of Reflex, read from the one settings object. Reflex ignores misspelt options: check each."""

import reflex as rx

from agency_site.settings import settings
from agency_site.ui.tokens import TAILWIND
from agency_site.web.build.plugin import BrowserScripts, NoWorkerInDevelopment, server_drawn_sources
from agency_site.web.reflex_internals.answer_failures import AnswerFailures
from agency_site.web.reflex_internals.configuration import MEMORY_STATES, REDIS_STATES
from agency_site.web.reflex_internals.hydration_task import HydrationTask
from agency_site.web.reflex_internals.module_shims import ModuleShims
from agency_site.web.reflex_internals.open_pages import OpenPages
from agency_site.web.reflex_internals.page_router import PageRouter
from agency_site.web.reflex_internals.plain_providers import PlainProviders
from agency_site.web.reflex_internals.served_states import ServedStates
from agency_site.web.reflex_internals.socket_address import SamePort

config = rx.Config(
    app_name="agency_site",
    redis_url=settings().redis_url or None,
    state_manager_mode=REDIS_STATES if settings().redis_url else MEMORY_STATES,
    cors_allowed_origins=list(settings().origins),
    telemetry_enabled=False,
    show_built_with_reflex=False,
    default_color_mode="light",
    # The publish step compresses: it runs after the site's own address is filled in.
    frontend_compression_formats=[],
    plugins=[
        rx.plugins.TailwindV4Plugin({**TAILWIND, "content": server_drawn_sources()}),
        SamePort(),
        HydrationTask(),
        ServedStates(),
        AnswerFailures(),
        BrowserScripts(),
        ModuleShims(),
        PageRouter(),
        PlainProviders(),
        NoWorkerInDevelopment(),
        OpenPages(),
    ],
    disable_plugins=[rx.plugins.SitemapPlugin],
)
