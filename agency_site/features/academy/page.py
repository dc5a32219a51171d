"""The pages of the academy: naming the learners of an order, a learner's own, waiting lists, and the check of a
certificate."""

from agency_site.features.academy.certificate_page.state import CertificatePage
from agency_site.features.academy.certificate_page.view import certificate_panel
from agency_site.features.academy.learner_page.state import LearnerPage
from agency_site.features.academy.learner_page.view import learner_panel
from agency_site.features.academy.naming_page.state import NamingPage
from agency_site.features.academy.naming_page.view import naming_panel
from agency_site.features.academy.waiting_page.state import WaitingForm, WaitingPage
from agency_site.features.academy.waiting_page.view import waiting_form_panel, waiting_panel
from agency_site.site.layout.route import Route

ROUTES = (
    Route(
        path="/order/[order_token]/learners",
        title="Who learns",
        description="Name the learners of your order.",
        body=naming_panel,
        on_load=(NamingPage.open_places,),
        private=True,
    ),
    Route(
        path="/learner/[learner_token]",
        title="Your course",
        description="See the dates of your course and join its sessions.",
        body=learner_panel,
        on_load=(LearnerPage.open_page,),
        hydrates="idle",
        private=True,
    ),
    Route(
        path="/waiting-list/[run_reference]",
        title="Waiting list",
        description="Join the waiting list of a course run that is full.",
        body=waiting_form_panel,
        on_load=(WaitingForm.open_page,),
        private=True,
    ),
    Route(
        path="/waiting/[waiting_token]",
        title="Your place in the waiting list",
        description="See your place in the waiting list, take a place or leave.",
        body=waiting_panel,
        on_load=(WaitingPage.open_page,),
        private=True,
    ),
    Route(
        path="/certificate/[certificate_serial]",
        title="Certificate",
        description="Check whether a certificate of ours is valid.",
        body=certificate_panel,
        on_load=(CertificatePage.open_page,),
        private=True,
    ),
)
