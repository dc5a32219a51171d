"""Software development."""

from agency_site.content.schema import Figure, Link
from agency_site.content.services.schema import Closing, Intro, Offer, Service, Step, Technology

SOFTWARE = Service(
    slug="software-development",
    icon="code",
    name="Software Development",
    summary="Apps and back offices for work that has outgrown the exercise book, the spreadsheet and the WhatsApp group.",
    features=(
        "Working software every second Friday",
        "M-Pesa, eTIMS and SMS connected",
        "Your data in your hands",
        "Handover that another team can read",
    ),
    heading="Software development",
    lead="When the exercise book is full, the spreadsheet has nine versions and the stock still does not add up, "
    "it is time for software. We build it in small steps that you can use from the first month.",
    seo_title="Software development in Kenya",
    seo_description="Web and mobile apps, M-Pesa integrations, stock and member systems for Kenyan companies, SACCOs, "
    "clinics and counties.",
    offers_intro=Intro(
        title="What we build and look after",
        text="Fixed price for a fixed piece, or a team by the month. Both with the code in your name.",
    ),
    offers=(
        Offer(
            title="Web applications",
            text="Portals for customers, suppliers and staff that open on any phone and remember who may see what.",
            tags=("Python", "React", "PostgreSQL"),
        ),
        Offer(
            title="Mobile apps",
            text="Android first, because your riders carry Android. Works in the lift and past Narok, and "
            "syncs when the bars return.",
            tags=("Flutter", "Kotlin", "SQLite"),
        ),
        Offer(
            title="Payments",
            text="STK push, Paybill and bank reconciled to the shilling, with a reason beside every payment that "
            "did not go through.",
            tags=("Daraja", "Pesalink", "Webhooks"),
        ),
        Offer(
            title="Business systems",
            text="Stock, invoices, members, fleets. Built around the way your people work, then made a little simpler.",
            tags=("FastAPI", "PostgreSQL", "eTIMS"),
        ),
        Offer(
            title="Cloud and security",
            text="Servers that restart by themselves, backups that have been restored, and a log of who touched what.",
            tags=("Linux", "Docker", "Terraform"),
        ),
        Offer(
            title="Rescue and care",
            text="You inherited code and the developer has moved to Kigali. We read it, test it, and tell you "
            "what is worth keeping.",
            tags=("Audits", "Tests", "Monitoring"),
        ),
    ),
    figures_intro=Intro(title="In daily use"),
    figures=(
        Figure(figure="250+", label="enterprises transformed with digital solutions"),
        Figure(figure="3,000+", label="daily active users on the software platforms"),
        Figure(figure="90+", label="uptime reliability for mission-critical systems"),
        Figure(figure="10+", label="industries served with global solutions"),
    ),
    work_intro=Intro(
        title="Six systems people open every morning",
        text="Four in a pocket, two on a counter.",
    ),
    steps_intro=Intro(title="Four steps, and you hold the brake"),
    steps=(
        Step(
            number="1",
            title="Sit with the work",
            text="Two days beside the people who will use it. We count clicks, papers and phone calls.",
        ),
        Step(
            number="2",
            title="Draw and price",
            text="Screens on paper, then a price for each piece. You choose the order in which they are built.",
        ),
        Step(
            number="3",
            title="Build in fortnights",
            text="Every second Friday something works. You try it with real data and say what is wrong.",
        ),
        Step(
            number="4",
            title="Hand over and stay near",
            text="Training, documents, and a month of answering the phone. After that, care by agreement.",
        ),
    ),
    stack_intro=Intro(title="What we build with", text="Plain tools that the next developer will know too."),
    stack=(
        Technology(name="Python", used_for="Services"),
        Technology(name="FastAPI", used_for="Interfaces"),
        Technology(name="React", used_for="Screens"),
        Technology(name="Flutter", used_for="Mobile apps"),
        Technology(name="Kotlin", used_for="Android"),
        Technology(name="PostgreSQL", used_for="Data"),
        Technology(name="SQLite", used_for="Offline data"),
        Technology(name="Redis", used_for="Queues"),
        Technology(name="Docker", used_for="Packaging"),
        Technology(name="Terraform", used_for="Servers"),
        Technology(name="Daraja", used_for="M-Pesa"),
        Technology(name="Africa's Talking", used_for="SMS and USSD"),
    ),
    closing=Closing(
        title="Show us the spreadsheet.",
        text="Half an hour is enough to say whether you need software, a smaller spreadsheet or a different form.",
        link=Link(label="Book a Consultation", href="/book"),
    ),
)
