"""Digital Marketing Masterclass: the second of the two tracks that share a page."""

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

DIGITAL_MARKETING_MASTERCLASS = Course(
    slug="digital-marketing-masterclass",
    title="Digital Marketing Masterclass",
    short_title="Digital Marketing Masterclass",
    payment_name="Digital Marketing Masterclass",
    detail_price=15_000,
    payment_price=15_000,
    position=4,
    weeks=4,
    summary="For marketers who know the basics: one plan across search, social and mail, measured end to end.",
    description=(
        "Four advanced weeks online for marketing professionals: one plan across search, social and mail, measured end "
        "to end. {price}."
    ),
    look="highland",
    cover="/photographs/course-digital-marketing-masterclass/960x640.jpg",
    head="/art/heads/digital-marketing-masterclass.svg",
    icon="course-digital-marketing-masterclass",
    catalogue=CatalogueCard(
        id=6,
        title="Digital Marketing Masterclass",
        category=CourseCategory.MARKETING,
        description="For marketers who know the basics: one plan across search, social and mail, measured end to end.",
        duration="4 Weeks",
        level="Advanced",
        rating=5,
    ),
    featured=FeaturedCard(
        id=6,
        title="Digital Marketing Masterclass",
        rating=4.9,
        line="One plan across all channels, for people who do this for a living.",
    ),
    detail=CourseDetail(
        lead="One plan across search, social and mail, measured end to end, for people who do this for a living.",
        overview=(
            "You know how to run a campaign. The question from upstairs is another one: if we give you KES 200,000 more, "
            "what happens, and how will we know? This track is about answering that with a straight face.",
            "Each week takes one decision that senior marketers get wrong, works through a Kenyan case with the true "
            "figures in it, and sends you back to your own account. Expect to defend your numbers in front of peers.",
        ),
        audience=(
            "Marketing managers with three years or more behind them",
            "Agency planners and account directors who write the strategy slide",
            "Performance marketers who know one channel deeply and now lead the others",
            "Heads of growth at banks, SACCOs, telecoms shops and start-ups",
        ),
        level="Advanced Marketing Professionals",
        learn_heading="Skills you build",
        learn=(
            "Splitting a budget by the next customer's cost, not by habit",
            "Attribution that survives cash, M-Pesa and a walk into a branch",
            "Tests with a control group that an auditor would accept",
            "One message carried through search, video, mail and radio",
            "Customer lifetime value from messy books",
            "Presenting a bad month so that the budget survives it",
        ),
        weeks=(
            Week(
                title="One plan, one number",
                text=(
                    "The case: a Nakuru SACCO that wanted 4,000 members and followers at once. We cut the plan down to "
                    "the one figure that moves the others."
                ),
                task="a plan on one page with a single target and the five things that feed it.",
            ),
            Week(
                title="Who gets the credit",
                text=(
                    "People see you on TikTok, ask on WhatsApp and pay at an agent. Codes, till references, surveys at "
                    "the counter and the model that puts them together."
                ),
                task="an attribution map of your own sales, including those in cash.",
            ),
            Week(
                title="Tests that prove something",
                text=(
                    "Counties as test and control, spending switched off on purpose, and sample sizes that fit a country "
                    "of 55 million and not of 330."
                ),
                task="one experiment that starts before the week is over.",
            ),
            Week(
                title="The room upstairs",
                text=(
                    "Forecasts with a range, a dashboard of nine figures, and the meeting in which you ask for more. Each "
                    "of you presents; a chief financial officer asks the questions."
                ),
                task="a budget request for the next half year, with its risks on the first page.",
            ),
        ),
        benefits=(
            Benefit(
                title="A budget that follows evidence",
                text="You can show which shilling worked, and move the one that did not.",
            ),
            Benefit(
                title="An experiment already running",
                text="Results come in while the course still runs, so we read them together.",
            ),
            Benefit(
                title="Peers who push back",
                text="Everybody in the room does this for a living. Feedback is specific, kind and not polite.",
            ),
            Benefit(
                title="The next job title",
                text="A plan, an experiment and a budget request: the three papers that senior interviews ask for.",
            ),
        ),
        voice=LearnerVoice(
            name="Samuel Kiptoo",
            title="Head of marketing, farmers' SACCO, Nakuru",
            quote=(
                "We switched radio off in two counties for three weeks, on purpose. I have never been so nervous. The "
                "result paid for the course about ninety times, and radio in the other counties got more money, not less."
            ),
            image="/images/learners/digital-marketing-masterclass.svg",
            portrait=Portrait(skin="coffee", hair="bald", wear="blazer", beard="full", brows="heavy"),
        ),
        prepare="Access to your analytics and ad accounts, twelve months of sales by week, and the plan that you have now.",
        outcome="A one-page plan, a running experiment, and a budget request that you have already defended once.",
        related=("google-ads", "email-marketing", "digital-marketing"),
    ),
)
