"""The academy's part of the contract with checkout."""

from agency_site.features.academy.enrolments import usecases as enrolments
from agency_site.features.academy.learners import naming
from agency_site.features.academy.personal_data import erase_learner
from agency_site.features.academy.reservations import offers
from agency_site.features.academy.reservations import usecases as reservations
from agency_site.features.academy.waiting_list import handover


class AcademyPlaces:
    """Implement `agency_site.places.Places` with the verbs of the academy's packages."""

    list_offers = staticmethod(offers.list_offers)
    find_offer = staticmethod(offers.find_offer)
    find_run_start = staticmethod(offers.find_run_start)
    list_coming_runs = staticmethod(offers.list_coming_runs)

    list_vacancies = staticmethod(reservations.list_vacancies)
    reserve_places = staticmethod(reservations.reserve_places)
    release_later = staticmethod(reservations.release_later)
    release_places = staticmethod(reservations.release_places)
    find_kept_place = staticmethod(handover.find_kept_place)
    use_kept_place = staticmethod(handover.use_kept_place)

    create_enrolment = staticmethod(enrolments.create_enrolment)
    correct_enrolment_date = staticmethod(enrolments.correct_enrolment_date)
    end_enrolment = staticmethod(enrolments.end_enrolment)
    find_enrolment = staticmethod(enrolments.find_enrolment)
    select_enrolments = staticmethod(enrolments.select_enrolments)
    list_order_places = staticmethod(enrolments.list_order_places)

    has_learner = staticmethod(naming.has_learner)
    correct_learner = staticmethod(naming.correct_learner)
    erase_learner = staticmethod(erase_learner)
