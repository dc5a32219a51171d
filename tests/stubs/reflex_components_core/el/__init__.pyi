from collections.abc import Callable

from reflex.components.component import Component

def __getattr__(tag: str) -> Callable[..., Component]: ...
