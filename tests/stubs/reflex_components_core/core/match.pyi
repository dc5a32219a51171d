from typing import Any, overload

from reflex.components.component import Component

@overload
def match(condition: Any, *cases: tuple[Any, Component] | Component) -> Component: ...
@overload
def match(condition: Any, *cases: Any) -> Any: ...
