"""A stand-in for Safaricom's Daraja that speaks its HTTP protocol: same paths, shapes, errors and callbacks.

Mounted into the site when no Daraja credentials are configured, or run alone:
`python -m agency_site.mpesa.simulator --port 8900`. What it did and what it will do is under `/control`.
"""

from agency_site.mpesa.simulator.app import create_simulator
from agency_site.mpesa.simulator.config import SimulatorConfig, simulator_config_from

__all__ = ["SimulatorConfig", "create_simulator", "simulator_config_from"]
