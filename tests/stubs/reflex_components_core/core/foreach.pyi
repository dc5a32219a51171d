from typing import Any

from reflex.components.component import Component

def foreach(iterable: Any, render_fn: Any) -> Component: ...
