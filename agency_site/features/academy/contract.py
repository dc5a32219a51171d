"""The academy's part of the contract with checkout: `agency_site.places.Places` as a module."""

from agency_site.features.academy.enrolments.usecases import (
    correct_day,
    end,
    enrol,
    find,
    list_places,
    select_enrolments,
)
from agency_site.features.academy.learners.naming import correct_own_place, has_own_place
from agency_site.features.academy.personal_data import erase_learner
from agency_site.features.academy.reservations.offers import (
    find_offer,
    find_start,
    list_coming_runs,
    list_offers,
)
from agency_site.features.academy.reservations.usecases import give_up, release, reserve
from agency_site.features.academy.waiting_list.handover import find_kept_place, use_kept_place

__all__ = [
    "correct_day",
    "correct_own_place",
    "end",
    "enrol",
    "erase_learner",
    "find",
    "find_kept_place",
    "find_offer",
    "find_start",
    "give_up",
    "has_own_place",
    "list_coming_runs",
    "list_offers",
    "list_places",
    "release",
    "reserve",
    "select_enrolments",
    "use_kept_place",
]
