"""The simulator's plans, timings and receipts, without a server."""

import re
from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.mpesa.simulator.__main__ import parse_arguments
from agency_site.mpesa.simulator.config import SimulatorConfig, simulator_config_from
from agency_site.mpesa.simulator.ledger import Ledger, new_receipt
from agency_site.mpesa.simulator.outcomes import Plan, plan_for
from agency_site.settings import Settings

CONFIG = SimulatorConfig()
SPECIAL = {"001", "032", "037", "200", "500", "503", "600", "700", "800", "900"}


def test_the_timings_are_those_of_the_specification() -> None:
    assert (CONFIG.delay, CONFIG.late, CONFIG.silence) == (2, 45, 30)


@pytest.mark.parametrize(
    ("last", "plan"),
    [
        ("001", Plan(result_code="1")),
        ("032", Plan(result_code="1032")),
        ("037", Plan(result_code="1037")),
        ("200", Plan(result_code="2001")),
        ("500", Plan(answer="refuse")),
        ("503", Plan(answer="silence")),
        ("600", Plan(copies=0)),
        ("700", Plan(callback_delay=45)),
        ("800", Plan(copies=3)),
        ("900", Plan(amount_offset=1)),
    ],
)
def test_the_last_three_digits_decide(last: str, plan: Plan) -> None:
    assert plan_for(f"254712345{last}", CONFIG) == plan


@given(st.from_regex(r"254[17][0-9]{8}", fullmatch=True).filter(lambda phone: phone[-3:] not in SPECIAL))
def test_any_other_phone_pays_with_one_callback(phone: str) -> None:
    assert plan_for(phone, CONFIG) == Plan(result_code="0", copies=1)


def test_a_receipt_has_ten_characters_and_encodes_its_day(noon: datetime) -> None:
    receipts = {new_receipt(noon) for _ in range(200)}
    assert len(receipts) == 200
    assert all(re.fullmatch("UKK[0-9A-Z]{7}", receipt) for receipt in receipts)


def test_an_id_carries_nairobis_time_and_the_end_of_the_phone(noon: datetime) -> None:
    _, checkout = Ledger().new_ids("254712345678", noon)
    assert checkout == "ws_CO_201120261200000712345678"


def test_the_simulator_has_the_site_s_settings_and_calls_only_the_site(
    configure: Callable[..., Settings],
) -> None:
    config = simulator_config_from(configure(port=4321, mpesa_shortcode="600100"))
    assert (config.shortcode, config.callback_base) == ("600100", "http://127.0.0.1:4321")
    assert config.control


def test_production_shows_no_control(configure: Callable[..., Settings]) -> None:
    assert not simulator_config_from(configure(env="production")).control


def test_the_command_line_sets_timings_and_keeps_other_defaults() -> None:
    port, config = parse_arguments(
        ["--port", "8900", "--delay", "0.5", "--prompt-window", "9", "--shortcode", "600100"]
    )
    assert port == 8900
    assert config == SimulatorConfig(delay=0.5, prompt_window=9, shortcode="600100")
