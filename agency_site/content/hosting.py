"""Hosting plans; prices and what each holds come from the specification, section 9."""

from pydantic import Field

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Link, Question, Record, Slug
from agency_site.content.services.schema import Closing
from agency_site.money import kes

SSL_NOTE = "SSL certificate paid separately on all plans"


class HostingPlan(Record):
    """One plan, paid by the month."""

    slug: Slug
    """Last part of `/signup/…`."""
    name: str
    price: int = Field(gt=0)
    """Kenya shillings a month."""
    storage: str
    features: tuple[str, ...]
    """Features of the plan besides storage."""
    suits: str
    """Its customers, in one sentence."""
    popular: bool = False

    @property
    def price_text(self) -> str:
        """The price without the period, in the specification's spelling."""
        return f"{self.price:,} ksh"


PLANS: tuple[HostingPlan, ...] = (
    HostingPlan(
        slug="starter",
        name="Starter",
        price=3_300,
        storage="20 GB SSD",
        features=(),
        suits="A company site, a menu, a portfolio: pages that people read.",
    ),
    HostingPlan(
        slug="growth",
        name="Growth",
        price=5_500,
        storage="30 GB of storage",
        features=("Email support", "Weekly backups"),
        suits="A shop or a booking calendar: pages that earn, and that should be back by lunch if they fall over.",
        popular=True,
    ),
    HostingPlan(
        slug="pro",
        name="Pro",
        price=7_500,
        storage="50 GB of storage",
        features=("24/7 premium support", "Email support", "Weekly backup"),
        suits="Member areas, large catalogues and anything whose phone rings at night when it is down.",
    ),
)

HEADING = "Hosting with somebody behind it."
LEAD = "Three plans, priced by the month in shillings. Pick one, tell us your domain, and we do the moving."

ON_WEB_DESIGN = "And a place to put it"
"""Heading above the plans on the web design page."""
QUESTIONS_HEADING = "Before you sign up"
CLOSING = Closing(
    title="Not sure what your site needs?",
    text="Send us its address. We look at the size, the traffic and the age of the thing, and name a plan.",
    link=Link(label="Ask us", href="/contact"),
)

QUESTIONS: tuple[Question, ...] = (
    Question(
        question="Why is the SSL certificate paid separately?",
        answer="A certificate is issued to you and your domain, by an authority that is not us. You choose the kind, it stays "
        "in your name, and we install it whichever plan you are on.",
    ),
    Question(
        question="I have a domain already. What happens to it?",
        answer="It stays yours. Choose existing domain when you sign up and we tell you which two settings to change at your "
        "registrar, or we change them with you on the phone.",
    ),
    Question(
        question="And if I have none?",
        answer="Choose new domain and write the name that you would like. We check whether the .co.ke or .com is free "
        "before anything is paid.",
    ),
    Question(
        question="Which plan does my site need?",
        answer="Most company sites fit into 20 GB for years. Take Growth once you sell or take bookings, because of the weekly "
        "backups. Take Pro when a night without the site costs more than the plan.",
    ),
    Question(
        question="Can I change the plan later?",
        answer="Yes, in both directions, from the next month on. Write to us or sign up for the other plan and say so.",
    ),
)


def plans() -> tuple[HostingPlan, ...]:
    """Return the hosting plans that visitors see."""
    return published(Kind.PLAN, PLANS)


def find_plan(slug: str) -> HostingPlan | None:
    """Return the plan of that slug; None if there is none."""
    return next((plan for plan in plans() if plan.slug == slug), None)


def name_lowest_price(text: str) -> str:
    """Return the text with the price of the cheapest plan for `{hosting_price}`."""
    return text.replace("{hosting_price}", kes(min(plan.price for plan in plans())))


def describe_prices() -> str:
    """Return the sentence for search engines."""
    *first, last = (f"{plan.name} {plan.price_text}" for plan in plans())
    return f"Website hosting from Nairobi: {', '.join(first)} and {last} a month, with storage, backups and support as listed."
