"""Enrolments and orders of a database in use survive the migrations of the academy."""

from alembic import command
from sqlalchemy import Engine, text

from agency_site.db.migrations import config_for
from agency_site.signing import find_private_token
from tests.integration.features.checkout.test_migration import MOMENT, engine, insert, order, url

__all__ = ["engine", "url"]
BEFORE = "0018"


def test_enrolments_and_orders_stay_and_have_no_run(url: str, engine: Engine) -> None:
    command.upgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        for number in (1, 2):
            order(connection, number, open_key=f"k{number}", search="", version=3, client_digest="")
            insert(
                connection, "enrolments", id=number, order_id=number, reference=f"EN-AAAAA{number}",
                course_slug="google-ads", course_name="Ads", places=number, created_at=MOMENT,
                ended_at=MOMENT if number == 2 else None,
            )  # fmt: skip
        before = connection.execute(text("SELECT * FROM enrolments ORDER BY id")).mappings().all()
        ordered = connection.execute(text("SELECT * FROM orders ORDER BY id")).mappings().all()
    command.upgrade(config_for(url), "head")
    with engine.begin() as connection:
        after = connection.execute(text("SELECT * FROM enrolments ORDER BY id")).mappings().all()
        assert [dict(row) for row in after] == [{**row, "run_id": None} for row in before]
        found = connection.execute(text("SELECT * FROM orders ORDER BY id")).mappings().all()
        assert [dict(row) for row in found] == [
            {
                **row,
                "run_reference": "",
                "coupon_code": "",
                "discount": 0,
                "company_name": "",
                "company_pin": "",
                "network": "",
            }
            for row in ordered
        ]
    command.downgrade(config_for(url), BEFORE)
    with engine.begin() as connection:
        again = connection.execute(text("SELECT * FROM enrolments ORDER BY id")).mappings().all()
    assert again == before


def test_every_place_that_was_sold_gets_a_learner_and_every_session_an_entry_in_calendars(
    url: str, engine: Engine
) -> None:
    command.upgrade(config_for(url), "0020")
    with engine.begin() as connection:
        for number in (1, 2):
            order(
                connection,
                number,
                open_key=f"k{number}",
                search="",
                version=3,
                client_digest="",
                run_reference="",
            )
            insert(
                connection, "enrolments", id=number, order_id=number, reference=f"EN-AAAAA{number}",
                course_slug="google-ads", course_name="Ads", places=number, created_at=MOMENT,
            )  # fmt: skip
        connection.execute(text("UPDATE orders SET first_name = '', last_name = '', email = '' WHERE id = 2"))
        insert(
            connection, "course_runs", id=1, reference="CR-AAAAA1", course_slug="google-ads", course_name="Ads",
            status="open", starts_at="2090-01-12 15:30:00.000000", ends_at="2090-01-19 17:30:00.000000", trainer="", room="",
            taken=0, version=2, search="", created_at=MOMENT, updated_at=MOMENT,
        )  # fmt: skip
        for day in ("2026-01-12", "2090-01-19"):
            start = f"{day} 15:30:00.000000"
            insert(connection, "course_sessions", run_id=1, starts_at=start, minutes=120, topic="")
    command.upgrade(config_for(url), "head")
    with engine.begin() as connection:
        learners = connection.execute(text("SELECT * FROM learners ORDER BY enrolment_id, number")).all()
        sessions = connection.execute(text("SELECT * FROM course_sessions ORDER BY starts_at")).all()
    assert [(one.enrolment_id, one.number, one.fullname, one.email) for one in learners] == [
        (1, 1, "Amina Wanjirũ", "Amina@example.com"), (2, 1, "", ""), (2, 2, "", ""),
    ]  # fmt: skip
    assert len({one.reference for one in learners} | {one.token_hash for one in learners}) == 6
    assert "wanjiru" in learners[0].search
    # The first mail makes the link.
    assert find_private_token("learner", learners[0].token_seed, learners[0].token_hash) is None
    assert [one.due_at is None for one in sessions] == [True, False]
    assert len({one.reference for one in sessions}) == 2
    command.downgrade(config_for(url), "0020")


def test_certificates_with_a_long_number_keep_its_printed_part_in_the_release_before(
    url: str, engine: Engine
) -> None:
    command.upgrade(config_for(url), "0046")
    with engine.begin() as connection:
        order(
            connection, 1, open_key="k1", search="", version=1, client_digest="", run_reference="", coupon_code="",
            discount=0, company_name="", company_pin="",
        )  # fmt: skip
        insert(
            connection, "enrolments", id=1, order_id=1, reference="EN-AAAAA1", course_slug="google-ads",
            course_name="Ads", places=1, created_at=MOMENT,
        )  # fmt: skip
        insert(
            connection, "learners", id=1, enrolment_id=1, number=1, reference="LN-AAAAA1", fullname="", email="",
            token_seed="seed", token_hash="l1", search="", version=1, created_at=MOMENT, updated_at=MOMENT,
        )  # fmt: skip
        insert(
            connection, "certificates", id=1, learner_id=1, serial="CT-7F3K9Q-2M4XWB-9DQRTA-4WXYGC-HJ7MNP",
            fullname="", course_name="Ads", minutes=60, is_name_shown=True, issued_at=MOMENT,
            issued_by="owner", revoke_reason="", revoked_by="",
        )  # fmt: skip
    command.downgrade(config_for(url), "0045")
    with engine.begin() as connection:
        assert connection.execute(text("SELECT serial FROM certificates")).scalar() == "CT-7F3K9Q-2M4XWB"
