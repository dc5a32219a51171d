"""Social media management and marketing."""

from agency_site.content.schema import Figure, Link
from agency_site.content.services.schema import Closing, Intro, Offer, Service, Step

CHAT: tuple[str, ...] = (
    "Niaje! Is the Thika branch open on Madaraka Day?",
    "Open until six. Parking is behind the bank.",
    "Sawa. Keep me two loaves.",
)
"""A customer, the shop, the customer: the conversation that the page opens with."""
CHAT_NOTE = "Holiday evening, 19:42. Answered by 19:46."

SOCIAL_MEDIA = Service(
    slug="social-media",
    icon="social",
    name="Social Media Management & Marketing",
    summary="A month of posts planned in one morning, filmed in two days, and somebody awake to answer when "
    "the comments come in.",
    features=(
        "Posts planned a month ahead",
        "Comments answered the same day",
        "Reports without screenshots of likes",
        "Creators who know your customers",
    ),
    heading="Social media marketing",
    lead="People in this town talk on their phones, loudly and all day. We give them something to pass on, and we "
    "stay in the conversation after the post is out.",
    seo_title="Social media marketing in Nairobi",
    seo_description="Planning, filming, posting, answering and paid reach on Instagram, TikTok, Facebook, X and WhatsApp for "
    "Kenyan brands.",
    offers_intro=Intro(
        title="What we take off your hands",
        text="Take one of the six or all of them. One person in our studio is yours either way, with a name and a number.",
    ),
    offers=(
        Offer(
            title="Planning",
            text="A calendar that knows about end month, school fees week, Madaraka Day and the first rain. You approve it "
            "once, on one page.",
        ),
        Offer(
            title="Posts and short films",
            text="Two shooting days a month on your premises. We leave with thirty posts, and you go back to serving customers.",
        ),
        Offer(
            title="Answering",
            text="Comments and messages in English, Kiswahili and Sheng, from seven to nine. Complaints come to you before "
            "they travel.",
        ),
        Offer(
            title="Paid reach",
            text="A few hundred shillings a day behind the posts that already work, aimed at the estates you deliver to.",
        ),
        Offer(
            title="Creators",
            text="We find the three people your customers already trust, write a fair contract and agree what they may "
            "not say.",
        ),
        Offer(
            title="Listening and reports",
            text="What people say about you, your prices and the shop next door. Every month, with one thing to change.",
        ),
    ),
    figures_intro=Intro(
        title="What comes back",
        text="The claims that we put our name to. Your own figures appear beside them in every report.",
    ),
    figures=(
        Figure(figure="250%", label="more people reached by accounts that we plan and film"),
        Figure(figure="3.2x", label="the engagement, once somebody answers every comment"),
        Figure(figure="87%", label="of messages answered within the working day"),
        Figure(figure="42%", label="more enquiries that turn into an order"),
    ),
    work_intro=Intro(title="Three campaigns people sent on"),
    steps_intro=Intro(title="How a month runs"),
    steps=(
        Step(
            number="1",
            title="Listen",
            text="A week inside your inbox, your counter and your competitors' comments before we post a word.",
        ),
        Step(
            number="2",
            title="Plan",
            text="Thirty days on one sheet: topics, faces, dates, budget. You strike out what does not sound like you.",
        ),
        Step(
            number="3",
            title="Make",
            text="Two days with a camera, a day at the desk. Captions are read aloud before they leave the house.",
        ),
        Step(
            number="4",
            title="Answer and adjust",
            text="We post, reply and count. What fails by the second week is replaced in the third.",
        ),
    ),
    closing=Closing(
        title="Send us your handle. We will read it first.",
        text="You get three honest remarks about your last nine posts, whether you hire us or not.",
        link=Link(label="Start the conversation", href="/contact"),
    ),
)
