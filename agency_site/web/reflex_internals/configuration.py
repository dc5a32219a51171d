"""Types of Reflex's configuration and the mode of its build, which `rx` does not offer.

Imported by lower layers than `web/`, so it imports nothing of ours (docs/architecture.md).
"""

from reflex_base.constants import Env
from reflex_base.constants.state import StateManagerMode
from reflex_base.environment import environment
from reflex_base.plugins.shared_tailwind import TailwindConfig

__all__ = ["MEMORY_STATES", "REDIS_STATES", "TailwindConfig", "is_production_build", "serve_compiled_site"]

REDIS_STATES = StateManagerMode.REDIS
MEMORY_STATES = StateManagerMode.MEMORY
"""Values for the configuration of where Reflex stores the states of open pages; texts work only by chance."""


def is_production_build() -> bool:
    """Return whether pages are compiled or served for production, not by the development server."""
    return environment.REFLEX_ENV_MODE.get() is Env.PROD


def serve_compiled_site() -> None:
    """Let this process and its workers load the site for production without compiling it again."""
    environment.REFLEX_SKIP_COMPILE.set(True)
    environment.REFLEX_ENV_MODE.set(Env.PROD)
