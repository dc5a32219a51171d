"""The house of `pamoja_sacco_chama`."""

from tools.studio.light import camera
from tools.studio.scenes import pamoja_sacco_chama


def build() -> None:
    """Set the scene again, and move the camera."""
    pamoja_sacco_chama.build()
    camera((-0.24, -0.3, 0.2), (-0.09, 0.25, 0.05), 86, 4.5, focus=(-0.1, 0.22, 0.05))
