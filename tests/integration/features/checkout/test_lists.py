"""The lists and figures of the money screens, on real orders."""

import csv
import io
from datetime import datetime, timedelta

import pytest
from sqlmodel import col, update

from agency_site.backoffice.lists.definition import ListDefinition, ListQuery, read_query
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import attention_count, count_of, page_of
from agency_site.backoffice.lists.state import lines_of
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.admin.enrolments.list import ENROLMENT_LIST_DEFINITION
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.checkout.admin.dashboard import BY_DAY, charts, tiles
from agency_site.features.checkout.admin.orders.list import ORDER_LIST_DEFINITION
from agency_site.features.checkout.admin.payments.list import PAYMENT_LIST_DEFINITION
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from tests.example_records import FREE_COURSE, OTHER_COURSE, PAID_COURSE
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import COURSE, PRICE, Shop, order_body, orders, payments
from tests.integration.features.checkout.orders import enrol_free, refund, under_review
from tests.integration.staff_sessions import OWNER

pytestmark = pytest.mark.each_database


async def read_rows(definition: ListDefinition, **query: str) -> list[dict[str, str]]:
    """Return the rows of a list as its screen shows them, by the labels of their columns."""
    parsed = read_query(definition, query)
    async with read_scope() as session:
        lines = lines_of(definition, parsed, await page_of(session, definition, parsed))
        assert await count_of(session, definition, parsed) == len(lines)
    return [{field.label: field.text for field in line.fields} for line in lines]


async def references(definition: ListDefinition, **query: str) -> list[str]:
    first = "Order" if definition is PAYMENT_LIST_DEFINITION else "Reference"
    return [row[first] for row in await read_rows(definition, **query)]


async def test_orders_are_found_by_state_course_day_and_words(shop: Shop) -> None:
    await shop.paid("111")
    await shop.paid("032")
    cancelled, paid = [order.reference for order in reversed(await orders())]
    assert await references(ORDER_LIST_DEFINITION) == [cancelled, paid]
    assert await references(ORDER_LIST_DEFINITION, state="unpaid") == [cancelled]
    assert await references(ORDER_LIST_DEFINITION, course=PAID_COURSE.slug, q="amina111") == [paid]
    assert await references(ORDER_LIST_DEFINITION, course=OTHER_COURSE.slug) == []
    assert await references(ORDER_LIST_DEFINITION, q=cancelled[3:].lower()) == [cancelled]
    assert await references(ORDER_LIST_DEFINITION, q="0712345111 wanjiru") == [paid]
    assert await references(ORDER_LIST_DEFINITION, **{"placed-from": "2026-11-21"}) == []
    (row,) = await read_rows(ORDER_LIST_DEFINITION, state="paid")
    assert (row["Name"], row["Amount"], row["Course"], row["State"]) == (
        "Amina Wanjirũ", "KES 15,000", COURSE, "Paid",
    )  # fmt: skip


@pytest.mark.parametrize(
    "definition", [ORDER_LIST_DEFINITION, PAYMENT_LIST_DEFINITION], ids=lambda item: item.name
)
async def test_orders_are_found_by_phones_references_and_receipts_however_they_are_written(
    shop: Shop, definition: ListDefinition
) -> None:
    await shop.paid("111")
    await shop.paid("112")
    wanted = (await orders())[0].reference
    receipt = (await payments())[0].receipt or ""
    compact = wanted.replace("-", "")
    for text in (
        "+254 712 345 111",
        "0712-345-111",
        "254712345111",
        compact,
        compact.lower(),
        wanted[3:],
        f"en {wanted[3:]}",
    ):
        assert await references(definition, q=text) == [wanted], text
    if definition is PAYMENT_LIST_DEFINITION:
        assert await references(definition, q=f"{receipt[:4].lower()} {receipt[4:]}") == [wanted]


@pytest.mark.parametrize(
    "definition",
    [ORDER_LIST_DEFINITION, PAYMENT_LIST_DEFINITION, ENROLMENT_LIST_DEFINITION],
    ids=lambda item: item.name,
)
async def test_the_phone_that_paid_finds_the_order_too(shop: Shop, definition: ListDefinition) -> None:
    await shop.paid("111")
    await shop.paid("112")
    async with session_scope() as session:
        await session.exec(update(Payment).where(col(Payment.order_id) == 1).values(phone="254733000999"))
    first = (await orders())[0].reference
    for text in ("0733 000 999", "+254733000999", "000999"):
        assert await references(definition, q=text) == [first]


async def test_an_order_waits_also_when_only_its_second_payment_is_in_doubt(shop: Shop) -> None:
    await shop.paid("111")
    (order,) = await orders()
    (first,) = await payments()
    async with session_scope() as session:
        session.add(
            Payment(
                order_id=order.id or 0, attempt_key="f" * 32, account_reference="ENTWIN",
                state=PaymentState.NEEDS_REVIEW, phone="254712345111",
                amount=order.amount, created_at=now(),
            )
        )  # fmt: skip
    async with read_scope() as session:
        assert await attention_count(session, ORDER_LIST_DEFINITION) == 1
    assert await references(ORDER_LIST_DEFINITION, state="needs_review") == [order.reference]
    assert await references(PAYMENT_LIST_DEFINITION) == [order.reference] * 2
    assert await references(PAYMENT_LIST_DEFINITION, state="needs_review") == [order.reference]
    assert first.receipt


async def test_payments_are_found_by_receipt_and_by_what_finds_their_order(shop: Shop) -> None:
    await shop.paid("111")
    await shop.paid("032")
    paid, cancelled = await orders()
    receipt = (await payments())[0].receipt or ""
    assert await references(PAYMENT_LIST_DEFINITION, q=receipt.lower()) == [paid.reference]
    assert await references(PAYMENT_LIST_DEFINITION, q=receipt[:6]) == [paid.reference]
    assert await references(PAYMENT_LIST_DEFINITION, q=cancelled.reference) == [cancelled.reference]
    assert await references(PAYMENT_LIST_DEFINITION, q="amina032") == [cancelled.reference]
    assert await references(PAYMENT_LIST_DEFINITION, q="%") == []
    (row,) = await read_rows(PAYMENT_LIST_DEFINITION, state="paid")
    assert (row["Phone"], row["Receipt"], row["Amount"]) == ("0712 345 111", receipt, "KES 15,000")


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("ft 26/330-11", True),
        ("FT 26/330-11 A", True),
        ("ft 26", True),
        ("26/330", False),
        ("ft 26/330-11 ab", False),
    ],
)
async def test_a_payment_is_found_by_the_beginning_of_the_bank_s_reference(
    shop: Shop, text: str, *, is_found: bool
) -> None:
    await shop.paid("111")
    await shop.paid("112")
    async with session_scope() as session:
        await session.exec(update(Payment).where(col(Payment.order_id) == 1).values(receipt="FT 26/330-11 A"))
    first = (await orders())[0].reference
    assert await references(PAYMENT_LIST_DEFINITION, q=text) == ([first] if is_found else [])


async def test_enrolments_show_who_sits_in_a_course_and_who_left_it(shop: Shop) -> None:
    await shop.paid("111")
    await shop.paid("112", quantity=2, amount=30_000)
    free = {**order_body("222"), "courseName": FREE_COURSE.payment_name}
    await enrol_free(session_scope, Enrollee.model_validate(free))
    await refund()
    first, second, third = [order.reference for order in await orders()]
    assert await references(ENROLMENT_LIST_DEFINITION, course=PAID_COURSE.slug, sort="since") == [
        first,
        second,
    ]
    assert await references(ENROLMENT_LIST_DEFINITION, state="ended") == [first]
    assert set(await references(ENROLMENT_LIST_DEFINITION, state="holds")) == {second, third}
    (row,) = await read_rows(ENROLMENT_LIST_DEFINITION, q="amina112")
    assert (row["E-mail"], row["Places"], row["State"]) == ("amina112@example.com", "2", "Enrolled")


@pytest.mark.parametrize(
    "definition",
    [ORDER_LIST_DEFINITION, PAYMENT_LIST_DEFINITION, ENROLMENT_LIST_DEFINITION],
    ids=lambda item: item.name,
)
async def test_every_list_can_be_exported_and_sorted_by_each_of_its_columns(
    shop: Shop, definition: ListDefinition
) -> None:
    await shop.paid("111")
    (order,) = await orders()
    csv_text = b"".join([chunk async for chunk in lines_of_export(definition, ListQuery())]).decode(
        "utf-8-sig"
    )
    assert len(csv_text.splitlines()) == 2
    assert order.reference in csv_text
    for column in definition.columns:
        if column.sort is not None:
            assert await references(definition, sort=f"-{column.key}") == [order.reference]


async def exported(definition: ListDefinition, list_query: ListQuery) -> dict[str, str]:
    """The one row of a list's file, by the headings of its columns."""
    csv_text = b"".join([chunk async for chunk in lines_of_export(definition, list_query)])
    (row,) = csv.DictReader(io.StringIO(csv_text.decode("utf-8-sig")))
    return row


async def test_a_file_without_chosen_columns_has_more_than_the_screen_shows(shop: Shop) -> None:
    run, other = await open_run(), await open_run(starts_at="2027-02-09T18:30")
    assert (await shop.pay("111", run=run.reference)).status_code == 200
    await shop.control.settled()
    (payment,) = await payments()
    row = await exported(ORDER_LIST_DEFINITION, ListQuery())
    assert (row["E-mail"], row["Phone"], row["Receipt"], row["Paid by"], row["Course run"]) == (
        "amina111@example.com", "0712 345 111", payment.receipt, "M-Pesa prompt", run.reference,
    )  # fmt: skip
    assert "KRA PIN" not in row
    paid = await exported(PAYMENT_LIST_DEFINITION, ListQuery())
    assert (paid["Customer"], paid["Paid by"], paid["Receipt"]) == (
        "Amina Wanjirũ", "M-Pesa prompt", payment.receipt,
    )  # fmt: skip
    assert list(await exported(ORDER_LIST_DEFINITION, ListQuery(columns=("name", "receipt")))) == [
        "Name",
        "Receipt",
    ]
    for definition in (ORDER_LIST_DEFINITION, PAYMENT_LIST_DEFINITION):
        assert not {"E-mail", "Customer", "Paid by", "Course run"} & (await read_rows(definition))[0].keys()
    async with session_scope() as session:
        await session.exec(update(Enrolment).values(run_id=other.id))
    assert (await exported(ORDER_LIST_DEFINITION, ListQuery()))["Course run"] == other.reference, "moved"


async def test_an_order_lists_the_receipts_of_all_its_payments_and_each_method_once(shop: Shop) -> None:
    await shop.paid("111")
    (order,), (first,) = await orders(), await payments()
    async with session_scope() as session:
        for number, kind in enumerate((PaymentKind.PROMPT, PaymentKind.CASH)):
            session.add(
                Payment(
                    order_id=order.id or 0, attempt_key=f"more{number}", account_reference=f"MORE{number}", kind=kind,
                    state=PaymentState.PAID, phone="254712345111", receipt=f"RECEIPT00{number}", amount=order.amount,
                    created_at=now(), settled_at=now(), paid_at=now(),
                )
            )  # fmt: skip
        await session.exec(
            update(Payment)
            .where(col(Payment.id) == first.id)
            .values(state=PaymentState.REFUNDED, refunded=order.amount)
        )
    row = await exported(ORDER_LIST_DEFINITION, ListQuery())
    assert set(row["Receipt"].split(", ")) == {first.receipt, "RECEIPT000", "RECEIPT001"}
    assert row["Paid by"] == "M-Pesa prompt, Cash"


async def test_an_exported_list_can_be_calculated_with(shop: Shop) -> None:
    await shop.paid("111")
    everything = ListQuery(columns=tuple(column.key for column in ORDER_LIST_DEFINITION.columns))
    csv_text = b"".join([chunk async for chunk in lines_of_export(ORDER_LIST_DEFINITION, everything)])
    (row,) = csv.DictReader(io.StringIO(csv_text.decode("utf-8-sig")))
    assert (row["Amount (KES)"], row["Places"]) == (str(PRICE), "1")
    placed = datetime.fromisoformat(row["Placed on (Nairobi)"])
    assert placed == in_nairobi((await orders())[0].created_at).replace(tzinfo=None)


async def test_the_dashboard_shows_revenue_of_today_and_by_course(shop: Shop) -> None:
    await shop.paid("111")
    await shop.paid("112")
    await refund()
    async with read_scope() as session:
        dashboard_tiles = [(tile.label, tile.value, tile.hot) for tile in await tiles(session, OWNER)]
        by_day, by_course = await charts(session, OWNER)
    assert dashboard_tiles == [
        ("KES received today", "30,000", False),
        ("KES received this week", "30,000", False),
    ]
    assert by_day.total == "KES 30,000 received, KES 15,000 refunded"
    assert len(by_day.bars) == BY_DAY
    assert (by_day.bars[-1].label, by_day.bars[-1].share, by_day.bars[0].value) == ("Fri 20", 100, 0)
    assert [(bar.label, bar.text) for bar in by_course.bars] == [(COURSE, "KES 30,000")]


async def test_an_unhandled_callback_shows_on_the_dashboard(shop: Shop) -> None:
    await shop.paid("111")
    async with session_scope() as session:
        old = now() - timedelta(minutes=10)
        await session.exec(
            update(CallbackInbox)
            .where(col(CallbackInbox.id) > 0)
            .values(handled_at=None, due_at=old, received_at=old)
        )
    async with read_scope() as session:
        *_, stuck = await tiles(session, OWNER)
    assert (stuck.label, stuck.value, stuck.hot) == ("Unprocessed M-Pesa callbacks", "1", True)


async def test_a_review_waits_until_it_is_decided(shop: Shop) -> None:
    await under_review(shop)
    async with read_scope() as session:
        assert await attention_count(session, ORDER_LIST_DEFINITION) == 1
