from typing import Any, overload

from reflex import Var
from reflex.components.component import Component

@overload
def cond(condition: Any, c1: Component, c2: Component | None = ...) -> Component: ...
@overload
def cond(condition: Any, c1: str | Var[str], c2: str | Var[str]) -> Var[str]: ...
@overload
def cond(condition: Any, c1: Any, c2: Any = ...) -> Any: ...
