"""The shelf of `ziwa_coffee_cups` with the place of the winner's cup."""

from tools.studio.light import camera
from tools.studio.scenes import ziwa_coffee_cups


def build() -> None:
    """Set the scene again, and move the camera."""
    ziwa_coffee_cups.build()
    camera((-0.42, -0.8, 0.34), (-0.135, -0.05, 0.255), 78, 5.6, focus=(-0.14, -0.07, 0.25))
