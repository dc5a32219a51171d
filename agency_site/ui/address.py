"""A filter that stands in the address, so that it can be shared and the back button works."""

import reflex as rx
from reflex.components.component import Component
from reflex.event import passthrough_event_spec


class QueryParameter(Component):
    """Ties a state var to `?parameter=`: the address follows `current`, and `on_visit` brings what the address asks for.

    `blank` is the value that stands for no parameter at all. What `on_visit` brings is untrusted.
    """

    library = "$/public/" + rx.asset("address.jsx", shared=True)
    tag = "QueryParameter"
    parameter: rx.Var[str]
    current: rx.Var[str]
    blank: rx.Var[str]
    on_visit: rx.EventHandler[passthrough_event_spec(str)]  # type: ignore[type-arg, valid-type]
