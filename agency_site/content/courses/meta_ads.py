"""Meta Ads Masterclass."""

from agency_site.content.course_schema import Course, CourseDetail, FeaturedCard, LearnerVoice, Week
from agency_site.content.schema import Benefit, Portrait

META_ADS = Course(
    slug="meta-ads",
    title="Meta Ads Masterclass",
    short_title="Meta Ads",
    payment_name="Meta Ads Masterclass",
    detail_price=15_000,
    payment_price=15_000,
    position=5,
    weeks=4,
    summary="Facebook and Instagram campaigns from the first audience to the report, on a shop's real budget.",
    description=(
        "Four weeks online: Facebook, Instagram and WhatsApp campaigns on a real budget, from the first audience to the "
        "report. {price}."
    ),
    look="night",
    cover="/photographs/course-meta-ads/960x640.jpg",
    head="/art/heads/meta-ads.svg",
    icon="course-meta-ads",
    featured=FeaturedCard(
        id=7,
        title="Meta Ads Masterclass",
        rating=4.6,
        line="Beyond the Boost button, on a real shop's budget.",
    ),
    detail=CourseDetail(
        lead="Facebook and Instagram campaigns from the first audience to the report, on a shop's real budget.",
        overview=(
            "The Boost button is where most money in Kenya gets lost: KES 1,000 here, KES 2,000 there, and a row of likes "
            "from people who live nowhere near the shop. Behind it is a tool that can do far better.",
            "We build one proper campaign a week, with a real budget of your choice from KES 300 a day. You learn to read "
            "it calmly, change one thing at a time, and turn a chat on WhatsApp into an order that has been paid.",
        ),
        audience=(
            "Shops that sell through Instagram and WhatsApp and boost by feeling",
            "Marketing assistants who have just been handed the ad account",
            "Event, school and church organisers with a date to fill",
            "Freelancers who look after pages and want to look after budgets",
        ),
        level="Beginner to Advanced",
        learn=(
            "A business account that nobody can lock you out of",
            "Audiences by town, radius and behaviour, from Voi to Vihiga",
            "Pictures and short videos that stop a thumb in two seconds",
            "Click-to-WhatsApp ads, and the chat that closes the sale",
            "Pixel and conversions for a shop that is paid by M-Pesa",
            "Reading cost per order, and the patience to let a test finish",
        ),
        weeks=(
            Week(
                title="The house in order",
                text=(
                    "Business portfolio, page, ad account, payment and two-step log-in, all in the owner's name. Then the "
                    "audit: what did your last ten boosts really bring?"
                ),
                task="an account that is safe, and an honest table of what boosting cost.",
            ),
            Week(
                title="Who sees it, and what they see",
                text=(
                    "Three audiences and three pictures for one product. A dress in Voi, a bag of layers mash in Kikuyu "
                    "and an evening class in Parklands as worked examples."
                ),
                task="a live campaign with three audiences and two creatives.",
            ),
            Week(
                title="From chat to paid order",
                text=(
                    "Click-to-WhatsApp, quick replies, the till number at the right moment, and how to tell the account "
                    "which chats became money."
                ),
                task="a chat script and your first measured orders.",
            ),
            Week(
                title="Again, only better",
                text=(
                    "Lookalikes, people who left the basket, and budgets that grow by a fifth and not by double. What to "
                    "do when an ad is rejected on a Friday evening."
                ),
                task="a report with cost per order, and the plan for the next thirty days.",
            ),
        ),
        benefits=(
            Benefit(
                title="No more boosting in the dark",
                text="You decide who sees an ad, what for, and until when, before a shilling is spent.",
            ),
            Benefit(
                title="An account that stays yours",
                text="The right owner, two-step log-in and a second admin: no page lost when somebody resigns.",
            ),
            Benefit(
                title="Chats that end in a payment",
                text="A script, a till number and a count of both, so that the account learns what an order is.",
            ),
        ),
        voice=LearnerVoice(
            name="Zawadi Mwakio",
            title="Dressmaker and shop owner, Voi",
            quote=(
                "For two years I boosted every Friday and people in Lagos liked my dresses. Now I spend 300 bob a day on "
                "women between Voi and Taveta, and each order costs me about 140. I had to employ a second tailor."
            ),
            image="/images/learners/meta-ads.svg",
            portrait=Portrait(
                skin="ebony", hair="afro", wear="kitenge", earrings=True, laughing=True, nose="button"
            ),
        ),
        prepare="A Facebook page, a WhatsApp Business number, and KES 300 a day for ads in weeks two to four.",
        outcome="A safe account, a campaign that brings paid orders, and a plan for the next thirty days.",
        related=("google-ads", "social-media-marketing", "canva-design"),
    ),
)
