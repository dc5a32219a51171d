"""The private order page without scripts: complete, refreshed until the payment is final, tried again by a post."""

import re

import httpx

from agency_site.web.serving.api import answers_page
from tests.example_records import PAID_COURSE
from tests.integration.features.checkout.conftest import Shop, order_path, orders, payments
from tests.integration.posted_forms import errors_of

REFRESH = '<noscript><meta http-equiv="refresh" content="5"></noscript></head>'


async def test_a_pending_order_refreshes_itself_until_the_payment_is_final(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    await shop.control.post("next", hold=True)
    await shop.pay()
    path = await order_path()
    waiting = await visitor.get(path)
    assert waiting.status_code == 200
    assert waiting.headers["cache-control"] == "no-store"
    assert waiting.headers["referrer-policy"] == "no-referrer"
    assert "Waiting for M-Pesa</h1>" in waiting.text
    assert REFRESH in waiting.text
    assert re.search(rf'<a [^>]*href="{path}"[^>]*>Check again</a>', waiting.text)
    assert f"{path}/retry" not in waiting.text
    await shop.control.post("answer", checkout_request_id=(await payments())[0].checkout_request_id)
    await shop.control.settled()
    paid = await visitor.get(path)
    assert "You are enrolled</h1>" in paid.text
    assert REFRESH not in paid.text
    assert "data-refresh" not in paid.text
    receipt = re.search(r'href="(/api/orders/[^"]+/receipt.pdf)"', paid.text)
    assert receipt
    assert (await visitor.get(receipt[1])).content.startswith(b"%PDF-")
    reference = (await orders())[0].reference
    assert f"/payment?course={PAID_COURSE.slug}&amp;after={reference}" in paid.text


async def test_an_unknown_order_is_a_404_that_says_so(visitor: httpx.AsyncClient, shop: Shop) -> None:
    for answer in (await visitor.get("/order/nothing"), await visitor.post("/order/nothing/retry", data={})):
        assert answer.status_code == 404
        assert "There is no order at this address." in answer.text
        assert "the whole link" in answer.text


async def test_an_unpaid_order_is_paid_by_a_post_however_often_it_is_sent(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    await shop.pay("032")
    await shop.control.settled()
    path = await order_path()
    cancelled = (await visitor.get(path)).text
    assert "The payment was cancelled</h1>" in cancelled
    assert f'action="{path}/retry"' in cancelled
    await shop.control.post("next", hold=True)
    answers = [await visitor.post(f"{path}/retry", data={"mpesaPhone": "712345111"}) for _ in range(2)]
    assert [(answer.status_code, answer.headers["location"]) for answer in answers] == [(303, path)] * 2
    assert [payment.phone for payment in await payments()] == ["254712345032", "254712345111"]
    # The page of the first attempt may still be open in another window.
    other = await visitor.post(f"{path}/retry", data={"mpesaPhone": "712345112"})
    assert other.status_code == 422
    assert "A request may still be open" in other.text
    assert len(await payments()) == 2


async def test_a_number_that_cannot_pay_is_refused_on_the_same_page(
    visitor: httpx.AsyncClient, shop: Shop
) -> None:
    await shop.pay("032")
    await shop.control.settled()
    path = await order_path()
    answer = await visitor.post(f"{path}/retry", data={"mpesaPhone": "12345"})
    assert answer.status_code == 422
    assert "Please enter a Kenyan mobile number" in answer.text
    assert 'value="12345"' in answer.text
    assert "The payment was cancelled</h1>" in answer.text
    for _ in range(2):
        await visitor.post(f"{path}/retry", data={"mpesaPhone": "712345032"})
        await shop.control.settled()
    full = await visitor.post(f"{path}/retry", data={"mpesaPhone": ""})
    assert full.status_code == 422
    assert "as many M-Pesa requests" in errors_of(full.text)["mpesaPhone"]
    assert len(await payments()) == 3


async def test_a_paid_order_and_another_site_start_nothing(visitor: httpx.AsyncClient, shop: Shop) -> None:
    await shop.paid()
    path = await order_path()
    settled = await visitor.post(f"{path}/retry", data={})
    assert settled.status_code == 422
    assert (await visitor.get(f"{path}/retry")).headers["location"] == path
    assert "there is nothing more to pay" in settled.text
    refused = await visitor.post(f"{path}/retry", data={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403
    assert len(await payments()) == 1


def test_other_spellings_are_left_to_the_edge() -> None:
    def scope(path: str) -> dict[str, object]:
        return {
            "type": "http",
            "method": "GET",
            "path": path,
            "root_path": "",
            "query_string": b"",
            "headers": [],
        }

    assert answers_page(scope("/order/abc"))
    assert not answers_page(scope("/order/abc/"))
    assert not answers_page(scope("/Order/abc"))
