"""The crate and the mangoes of `shamba_fresh`, its shop behind them."""

from tools.studio.light import camera
from tools.studio.scenes import shamba_fresh


def build() -> None:
    """Set the scene again, and move the camera."""
    shamba_fresh.build()
    camera((-0.62, -0.62, 0.22), (-0.17, 0.03, 0.08), 70, 4.0, focus=(-0.27, 0.04, 0.08))
