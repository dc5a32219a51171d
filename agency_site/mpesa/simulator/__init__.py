"""A simulator of Safaricom's Daraja with the same HTTP protocol: paths, JSON, errors and callbacks.

It is mounted into the site if no Daraja credentials are configured, or runs alone:
`python -m agency_site.mpesa.simulator --port 8900`. Its ledger and its next outcomes are under `/control`.
"""

from agency_site.mpesa.simulator.app import create_simulator
from agency_site.mpesa.simulator.config import SimulatorConfig, simulator_config_from

__all__ = ["SimulatorConfig", "create_simulator", "simulator_config_from"]
