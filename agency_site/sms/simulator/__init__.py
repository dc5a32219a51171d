"""A simulator of Africa's Talking's SMS API with the same HTTP protocol: requests, answers and delivery reports.

It is mounted into the site in development if no API key is configured. The last three digits of a number choose the outcome;
`/control` lists the messages, empties and refills the account, and plays texts from phones.
"""

from agency_site.sms.simulator.app import create_sms_simulator
from agency_site.sms.simulator.config import SmsSimulatorConfig, sms_simulator_config_from

__all__ = ["SmsSimulatorConfig", "create_sms_simulator", "sms_simulator_config_from"]
