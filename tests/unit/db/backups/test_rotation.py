"""The rotation of backups."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agency_site.db.backups.rotation import select_kept

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MOMENTS = st.sets(
    st.timedeltas(timedelta(0), timedelta(days=900)).map(lambda age: NOON - age),
    max_size=60,
)
COUNTS = st.integers(0, 12)


def every_day(days: int) -> list[datetime]:
    return [NOON - timedelta(days=number) for number in range(days)]


def test_a_year_of_daily_backups_becomes_days_weeks_and_months() -> None:
    kept_moments = sorted(select_kept(every_day(365), NOON, 7, 4, 6), reverse=True)
    assert [f"{moment:%d.%m.}" for moment in kept_moments] == [
        "20.11.", "19.11.", "18.11.", "17.11.", "16.11.", "15.11.", "14.11.", "08.11.", "01.11.",
        "31.10.", "30.09.", "31.08.", "31.07.", "30.06.",
    ]  # fmt: skip


def test_the_newest_backup_of_an_earlier_day_is_kept() -> None:
    hours = [NOON + timedelta(hours=number) for number in range(6)]
    assert select_kept(hours, NOON + timedelta(days=3), 3, 0, 0) == {hours[-1]}


def test_no_backup_of_the_last_two_days_is_deleted_nor_one_of_a_clock_that_was_fast() -> None:
    hours = {NOON + timedelta(hours=number) for number in range(-60, 24)}
    kept_moments = select_kept(hours, NOON, 1, 0, 0)
    assert {moment for moment in hours if moment > NOON - timedelta(hours=48)} <= kept_moments
    assert NOON - timedelta(hours=48) not in kept_moments


def test_days_without_a_backup_do_not_count() -> None:
    sparse = [NOON - timedelta(days=30 * number) for number in range(5)]
    assert select_kept(sparse, NOON, 5, 0, 0) == set(sparse)


@given(MOMENTS, st.integers(1, 12), COUNTS, COUNTS)
def test_the_newest_is_always_kept_and_never_more_than_the_settings_allow(
    moments: set[datetime], daily: int, weekly: int, monthly: int
) -> None:
    kept_moments = select_kept(moments, NOON, daily, weekly, monthly)
    assert kept_moments <= moments
    recent = {moment for moment in moments if moment > NOON - timedelta(hours=48)}
    assert len(kept_moments) <= len(recent) + daily + weekly + monthly
    assert not moments or max(moments) in kept_moments


@given(MOMENTS, st.integers(1, 12), COUNTS, COUNTS)
def test_a_second_rotation_deletes_nothing(
    moments: set[datetime], daily: int, weekly: int, monthly: int
) -> None:
    kept_moments = select_kept(moments, NOON, daily, weekly, monthly)
    assert select_kept(kept_moments, NOON, daily, weekly, monthly) == kept_moments
