from typing import Any

from reflex.components.component import Component

class Fragment(Component): ...

def fragment(*children: Any, **props: Any) -> Fragment: ...
