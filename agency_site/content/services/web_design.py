"""Web design and development."""

from agency_site.content.schema import Link
from agency_site.content.services.schema import Closing, Intro, Offer, Service

WEB_DESIGN = Service(
    slug="web-design",
    icon="web",
    name="Web Design & Development",
    summary="Sites that load on a Tecno in Rongai, say what you sell in one breath and take the order before "
    "the visitor puts the phone away.",
    features=(
        "Written, drawn and built by one team",
        "M-Pesa at the till",
        "Quick on a small data bundle",
        "You own the code and the domain",
    ),
    heading="Web design and development",
    lead="A website is a shop whose shutter never comes down. We write it, draw it, build it and keep it running, "
    "from a one-page menu in Kilimani to a store with four thousand spare parts.",
    seo_title="Web design and development, Nairobi",
    seo_description="Company websites, online shops with M-Pesa, landing pages and redesigns, built in Karen, Nairobi, "
    "and hosted from {hosting_price} a month.",
    offers_intro=Intro(
        title="What we build",
        text="Every site starts with a price you can read and ends with a handover you can use.",
    ),
    offers=(
        Offer(
            title="Online shops",
            text="Stock, baskets, delivery zones from Ruaka to Kitengela, and M-Pesa at the till with the receipt "
            "on the customer's phone.",
            points=(
                "Till, Paybill and card in one checkout",
                "Stock that agrees with the shelf",
                "Rider notes and pick-up points",
            ),
        ),
        Offer(
            title="Company websites",
            text="Five to twenty pages that answer what people ask on the phone: what you do, where you are, what it costs "
            "and who picks up.",
            points=("Words in English, Kiswahili or both", "Photographs taken on your premises"),
        ),
        Offer(
            title="Landing pages",
            text="One offer, one page, one button. Ready in a week, for the campaign that starts on Monday.",
            points=("Two versions to compare", "Forms that reach your WhatsApp"),
        ),
        Offer(
            title="Redesigns",
            text="We keep every address that Google already knows, carry your articles over and drop what nobody reads.",
            points=("Old links lead to new pages", "Before and after, measured"),
        ),
        Offer(
            title="Bookings and members",
            text="Salons, clinics, lodges and chamas: calendars that cannot be booked twice, and pages for members only.",
            points=("Reminders by SMS", "Deposits through M-Pesa"),
        ),
        Offer(
            title="Care after launch",
            text="Updates, backups that we have actually restored, and a person in Karen who answers when something breaks "
            "on a Friday evening.",
            points=("Monthly report on one page", "Small changes included"),
        ),
    ),
    work_intro=Intro(
        title="Six sites, six trades",
        text="A farm, a lodge, a hardware store, a school, a dive club and a flower market.",
    ),
    closing=Closing(
        title="Bring the address of a site you envy.",
        text="In half an hour we tell you what it would take to build yours, what it would cost, and what we would leave out.",
        link=Link(label="Book a Consultation", href="/book"),
    ),
)
