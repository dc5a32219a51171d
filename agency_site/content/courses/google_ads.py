"""Google Ads Masterclass."""

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

GOOGLE_ADS = Course(
    slug="google-ads",
    title="Google Ads Masterclass",
    short_title="Google Ads",
    payment_name="Google Ads Masterclass",
    detail_price=15_000,
    payment_price=15_000,
    position=3,
    weeks=4,
    summary="Set up, read and improve campaigns that pay for themselves, with your own account open.",
    description=(
        "Four weeks online with your own account open: search terms of Kenyan buyers, budgets in shillings, calls and "
        "M-Pesa sales measured. {price}."
    ),
    look="sunrise",
    cover="/photographs/course-google-ads/960x640.jpg",
    head="/art/heads/google-ads.svg",
    icon="course-google-ads",
    catalogue=CatalogueCard(
        id=5,
        title="Google Ads Masterclass",
        category=CourseCategory.MARKETING,
        description="Set up, read and improve campaigns that pay for themselves, with your own account open in every lesson.",
        duration="4 Weeks",
        level="All Levels",
        rating=4.9,
    ),
    featured=FeaturedCard(
        id=5,
        title="Google Ads Masterclass",
        rating=4.5,
        line="Be there when somebody in Nakuru types what you sell.",
    ),
    detail=CourseDetail(
        lead="Set up, read and improve campaigns that pay for themselves, with your own account open in every lesson.",
        overview=(
            "You bring a business, yours or your employer's. You leave with campaigns that run and a report that your "
            "finance person believes.",
            "Nothing is taught on a demonstration account. In the first hour you open your own, set a limit of KES 500 a "
            "day, and from then on every lesson ends with a change that goes live. If a campaign should be stopped, we "
            "stop it together and write down why.",
        ),
        audience=(
            "Owners who pay for clicks today and cannot tell what comes back",
            "Marketing staff who inherit an account with forty campaigns in it",
            "Freelancers who want to sell the service and keep the client",
        ),
        level="Beginner to Advanced",
        learn=(
            "Search terms that buyers type in Nairobi, Mombasa and Kisumu",
            "Budgets in shillings, not in hope",
            "Ads that say what the page keeps",
            "Measuring calls, chats and M-Pesa sales",
            "When to stop a campaign",
            "A weekly routine of thirty minutes",
        ),
        weeks=(
            Week(
                title="What people type",
                text=(
                    "A borehole driller in Kitui and a dentist in Kilimani do not buy the same words. We collect terms, "
                    "price them, and make the list of words that must never cost you a shilling."
                ),
                task="a keyword plan with three groups and your first thirty exclusions.",
            ),
            Week(
                title="Ads, and the page behind them",
                text=(
                    "Headlines that repeat the buyer's words, extensions with your opening hours and location, and a "
                    "landing page that loads on a 3G signal and has the number on top."
                ),
                task="a live search campaign with two ads in each group.",
            ),
            Week(
                title="Count what counts",
                text=(
                    "Calls, WhatsApp chats, forms and paid orders as conversions. How to bring M-Pesa sales back into the "
                    "account, so that bidding learns from money and not from clicks."
                ),
                task="conversion tracking that agrees with your order book.",
            ),
            Week(
                title="Improve, widen, stop",
                text=(
                    "Bids, quality and search-term reports in thirty minutes a week. When Performance Max is worth a try, "
                    "when YouTube is, and the figure at which you switch something off."
                ),
                task="a four-week report with three changes and what each one did.",
            ),
        ),
        benefits=(
            Benefit(
                title="Clicks that have a reason",
                text="Every word in the account is there because somebody who buys types it.",
            ),
            Benefit(
                title="Money that comes back counted",
                text="You see the cost of a call and of a sale, in shillings, on the day it happens.",
            ),
            Benefit(
                title="Half an hour a week",
                text="A fixed routine keeps the account healthy. The rest of the week belongs to the business.",
            ),
            Benefit(
                title="A service to sell",
                text="Freelancers leave with a report format, a price list and their first case in numbers.",
            ),
        ),
        voice=LearnerVoice(
            name="Faith Chebet",
            title="Owner, solar water heating, Eldoret",
            quote=(
                "We were paying for the word solar, which half of Kenya types while doing homework. Now we pay for solar "
                "water heater installation Eldoret. A fifth of the clicks, and the phone rings four times a day."
            ),
            image="/images/learners/google-ads.svg",
            portrait=Portrait(
                skin="cinnamon", hair="braids", wear="shirt", earrings=True, face="heart", eyes="tilted"
            ),
        ),
        prepare=(
            "A Google account, a card or mobile money line for at least KES 2,000 of advertising over the four weeks, and "
            "the page that your ads should lead to."
        ),
        outcome="A running search campaign, tracking that agrees with your order book, and a routine that keeps both.",
        related=("meta-ads", "digital-marketing-masterclass", "digital-marketing"),
    ),
)
