"""The origin of what a visitor sends."""

from typing import Self

from pydantic import PrivateAttr

from agency_site.form_input import InputModel
from agency_site.visits.rules import NO_ORIGIN, Origin


class FromVisit(InputModel):
    """A request of a visitor. The edge adds the origin of the visit; it is no field, and a repeat may have another one."""

    _origin: Origin = PrivateAttr(default=NO_ORIGIN)

    @property
    def origin(self) -> Origin:
        """The origin of the visit."""
        return self._origin

    def from_visit(self, origin: Origin) -> Self:
        """Return this request with the origin of its visit."""
        self._origin = origin
        return self
