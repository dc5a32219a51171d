"""Grow Your Business with Digital Skills: free."""

from agency_site.content.course_schema import (
    CatalogueCard,
    Course,
    CourseCategory,
    CourseDetail,
    FeaturedCard,
    LearnerVoice,
    Week,
)
from agency_site.content.schema import Benefit, Portrait

DIGITAL_SKILLS = Course(
    slug="digital-skills",
    title="Grow Your Business with Digital Skills",
    short_title="Digital Skills",
    payment_name="Grow Your Business with Digital Skills",
    detail_price=0,
    payment_price=0,
    position=9,
    weeks=4,
    summary="From WhatsApp orders to a shop that sells while you sleep, for owners who start from zero.",
    description=(
        "A four-week online course for small businesses in Kenya: be found on the map, sell on WhatsApp, get paid "
        "by M-Pesa, open at night. {price}."
    ),
    look="noon",
    cover="/photographs/course-digital-skills/960x640.jpg",
    head="/art/heads/digital-skills.svg",
    icon="course-digital-skills",
    catalogue=CatalogueCard(
        id=3,
        title="Grow Your Business with Digital Skills",
        category=CourseCategory.BUSINESS,
        description="From WhatsApp orders to a shop that sells while you sleep. Made for a phone.",
        duration="4 Weeks",
        level="Beginner",
        rating=4.7,
    ),
    featured=FeaturedCard(
        id=3,
        title="Grow Your Business with Digital Skills",
        rating=4.9,
        line="Be found, be chosen, be paid, with the phone you have.",
    ),
    detail=CourseDetail(
        lead="Be found, be chosen and be paid, with the phone that is already in your pocket.",
        overview=(
            "Whether you sell mandazi, mitumba or mabati: the phone you use for calls can also be your sign, your shop "
            "window and your cash book. Big companies pay departments for that. You need four evenings.",
            "Every good client of ours once stood in a market with one phone and a question, and we "
            "would like to meet the next ones early. Everything runs on an Android phone with 2 GB of data; a laptop "
            "helps, and you do not need one.",
        ),
        audience=(
            "Owners of stalls, kiosks, salons and workshops who sell by phone call",
            "Farmers and co-operatives who want a buyer in Nairobi before the harvest",
            "People with a salary by day and a business after five",
            "Sons and daughters who have been asked to put the shop online",
        ),
        level="Beginner to Intermediate",
        learn_heading="Skills you build",
        learn=(
            "Putting the shop on the map, with the right hours and a real photo",
            "A WhatsApp Business catalogue with prices, labels and quick answers",
            "Pictures by window light that make people ask the price",
            "Taking M-Pesa by till, and a cash book that agrees with it",
            "Seeing through a forged payment message before the goods leave",
            "A first page of your own, and a first advertisement for KES 500",
        ),
        weeks=(
            Week(
                title="Be found",
                text=(
                    "A free Google Business Profile for a place that has no street number, reviews that you may ask for, "
                    "and a name that people can spell."
                ),
                task="your shop on the map, checked from somebody else's phone.",
            ),
            Week(
                title="Be chosen",
                text=(
                    "Ten things you sell, photographed on a white sheet by the window, with a price and a size. Then into "
                    "the WhatsApp catalogue, where people can choose while you sleep."
                ),
                task="a catalogue with ten products and five ready answers.",
            ),
            Week(
                title="Be paid",
                text=(
                    "Till, Paybill or Pochi: which one, what it costs, and how it looks in the books. Forged messages, "
                    "real reversals, and the two minutes each evening that save a day in January."
                ),
                task="a working till and one week in your cash book.",
            ),
            Week(
                title="Be open at night",
                text=(
                    "A one-page shop with your products and your number, the boda rider's part in it, and KES 500 of "
                    "advertising spent so carefully that you know what each shilling did."
                ),
                task="a page that takes orders, and the result of your first advertisement.",
            ),
        ),
        benefits=(
            Benefit(
                title="Customers from the next town",
                text="The map and the catalogue reach people who will never walk past your door.",
            ),
            Benefit(
                title="Fewer calls, more orders",
                text="Price, size and colour are in the catalogue. The phone rings when someone wants to buy.",
            ),
            Benefit(
                title="Books that open doors",
                text="A bank, a SACCO or a county fund asks for records. After week three you have some.",
            ),
        ),
        voice=LearnerVoice(
            name="Mary Wambui",
            title="Second-hand clothes, Gikomba, Nairobi",
            quote=(
                "I thought the phone was for calls. Now women in Kitengela and Ngong choose from the catalogue in the "
                "evening and pay to the till, and the boda rider comes at seven. I open a bale and half of it has a name "
                "on it already."
            ),
            image="/images/learners/digital-skills.svg",
            portrait=Portrait(
                skin="chestnut", hair="headwrap", wear="tee", earrings=True, laughing=True, eyes="smiling"
            ),
        ),
        prepare="An Android phone with WhatsApp, your ID for the till, and ten things that you sell.",
        outcome="A shop on the map, a catalogue with prices, a till and a page that takes orders at night.",
        related=("canva-design", "social-media-marketing", "meta-ads"),
    ),
)
