"""Pull Transactions: the client reads the simulator's books, and its registration."""

from datetime import timedelta
from decimal import Decimal

import pytest

from agency_site.clock import now
from agency_site.mpesa.answers import Answer, read_transactions
from agency_site.mpesa.errors import Misconfigured, MpesaError, OutcomeUnknown
from agency_site.mpesa.wire import Complaint, parse_transactions
from tests.integration.mpesa.conftest import World

HOUR = timedelta(hours=1)


async def test_the_books_show_every_charge_and_nothing_else(world: World) -> None:
    for last in ("111", "222", "333"):
        await world.client.push(world.request(last))
    await world.control.settled()
    charged = [prompt for prompt in (await world.control.ledger())["prompts"] if prompt["charged"]]
    transactions = await world.client.pull(now() - HOUR, now() + HOUR)
    assert [transaction.receipt for transaction in transactions] == [prompt["receipt"] for prompt in charged]
    assert {(transaction.bill_reference, transaction.amount) for transaction in transactions} == {
        ("OR7F3K9Q", Decimal(1500))
    }
    assert transactions[0].phone == f"2547*****{charged[0]['phone'][-3:]}"
    assert abs(transactions[0].at - now()) < HOUR  # type: ignore[operator]
    assert await world.client.pull(now() - 2 * HOUR, now() - HOUR) == ()
    assert await world.client.pull(now() - HOUR, now() + HOUR, len(transactions)) == ()


async def test_a_shortcode_without_the_product_is_an_error_and_not_an_empty_book(world: World) -> None:
    await world.control.post("switches", pull=False)
    with pytest.raises(Misconfigured):
        await world.client.pull(now() - HOUR, now())


@pytest.mark.parametrize("fault", ["drop", "html_200", "empty_200", "bad_gateway", "spike", "internal_error"])
async def test_an_answer_that_is_not_whole_is_an_error(world: World, fault: str) -> None:
    await world.control.post("fault", call="pull", fault=fault)
    with pytest.raises(MpesaError):
        await world.client.pull(now() - HOUR, now())


async def test_the_shortcode_is_registered(world: World) -> None:
    said = await world.client.register_pull("254712345678", "https://site.example/")
    assert said == "Short Code registered successfully"


@pytest.mark.parametrize(
    "content",
    [
        {"ResponseCode": "1000", "Response": None},
        {"ResponseCode": "9999", "Response": []},
        {"ResponseCode": "1000", "Response": [[{"amount": "1"}]]},
        {"ResponseCode": "1000", "Response": ["text"]},
    ],
)
def test_what_cannot_be_read_is_unknown(content: dict[str, object]) -> None:
    with pytest.raises(OutcomeUnknown):
        read_transactions(Answer(200, content, Complaint.read(content), None))


def test_rows_are_read_loosely() -> None:
    row = {"TransactionID": "ukk1", "trxDate": 20261120120000, "msisdn": 254712345678, "amount": 15000}
    (transaction,) = parse_transactions([[{**row, "billreference": "en-7f3k9q 2"}]])
    assert not transaction.is_return
    (back,) = parse_transactions([[{**row, "transactiontype": "c2b-pay-bill-reversal"}]])
    assert back.is_return
    assert (transaction.receipt, transaction.bill_reference) == ("UKK1", "EN7F3K9Q2")
    # As in stored callbacks.
    assert transaction.phone.endswith("******678")
    assert (str(transaction.at), transaction.amount) == ("2026-11-20 09:00:00+00:00", Decimal(15000))
