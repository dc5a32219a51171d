"""Digital advertising."""

from agency_site.content.schema import Link
from agency_site.content.services.schema import Closing, Intro, Offer, Service

ADVERTISING = Service(
    slug="digital-advertising",
    icon="ads",
    name="Digital Advertising",
    summary="Search, social and video campaigns in which every shilling has a job, a deadline and somebody who checks "
    "on it on Tuesdays.",
    features=(
        "Budgets in shillings, spent in your own account",
        "Calls, chats and M-Pesa sales counted",
        "Stopped early when it does not pay",
        "One report a fortnight",
    ),
    heading="Digital advertising",
    lead="A hoarding on Mombasa Road is seen by everybody and counted by nobody. We buy the other kind: seen by the "
    "people who may buy, and counted down to the last call.",
    seo_title="Digital advertising in Kenya",
    seo_description="Google, Meta, TikTok and YouTube campaigns for Kenyan businesses, with budgets in shillings and results "
    "counted in calls, chats and sales.",
    offers_intro=Intro(
        title="Four places to put a shilling",
        text="Most clients start with one and add the next when the first pays for it.",
    ),
    offers=(
        Offer(
            title="Search advertising",
            text="Somebody types fundi wa bomba at eleven at night. You are the answer, with a number that rings on your phone.",
            points=(
                "Words that buyers type, in English and Kiswahili",
                "Ads off when the shop is shut",
                "Searches that waste money struck out weekly",
            ),
            image="/images/services/ad-search.svg",
            alt="A search for a plumber in Kasarani, answered by an ad: A plumber in 40 minutes",
        ),
        Offer(
            title="Social advertising",
            text="Facebook, Instagram and TikTok for people within three kilometres, or three counties, who behave like the "
            "customers you already have.",
            points=(
                "Films made for a thumb, not for a boardroom",
                "Chats opened in WhatsApp",
                "New pictures before people tire of the old",
            ),
            image="/images/services/ad-feed.svg",
            alt="A sponsored post with an order button on a phone, shown within 3 km to people of 24 to 40",
        ),
        Offer(
            title="Video and display",
            text="Five seconds before the football, a banner beside the news. For openings, launches and anything that must be "
            "known by Friday.",
            points=(
                "The name in the first second",
                "Sites and channels chosen by hand",
                "At most three times a week for one person",
            ),
            image="/images/services/ad-video.svg",
            alt="A video player with a skip button, and a red banner beside it: From Lamu, slowly",
        ),
        Offer(
            title="Measuring and return visits",
            text="Who came, who called, who paid. Those who nearly bought are asked once more, politely, and then left alone.",
            points=(
                "M-Pesa sales matched to campaigns",
                "Consent asked for as the Data Protection Act requires",
                "A page your accountant can read",
            ),
            image="/images/services/ad-measured.svg",
            alt="A sheet titled Out, and back: bars of what was spent beside growing bars of what was earned",
        ),
    ),
    closing=Closing(
        title="What does one customer cost you today?",
        text="Come with a guess and last month's spend. We work it out together in half an hour.",
        link=Link(label="Book a Consultation", href="/book"),
    ),
)
