"""The private pages of the academy: naming the learners of an order, and a learner's own."""

from agency_site.features.academy.learner_page.state import LearnerPage
from agency_site.features.academy.learner_page.view import learner_panel
from agency_site.features.academy.naming_page.state import NamingPage
from agency_site.features.academy.naming_page.view import naming_panel
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
)
