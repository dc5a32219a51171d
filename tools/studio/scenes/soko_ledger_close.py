"""The slip of `soko_ledger`."""

from tools.studio.light import camera
from tools.studio.scenes import soko_ledger


def build() -> None:
    """Set the scene again, and move the camera."""
    soko_ledger.build()
    camera((-0.22, -0.42, 0.2), (-0.035, 0, 0.17), 92, 4.0, focus=(-0.055, -0.01, 0.17))
