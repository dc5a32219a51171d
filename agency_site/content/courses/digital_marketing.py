"""Digital Marketing for CEOs."""

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

DIGITAL_MARKETING = Course(
    slug="digital-marketing",
    title="Digital Marketing for CEOs",
    short_title="Digital Marketing for CEOs",
    payment_name="Digital Marketing For CEOs Masterclass",
    detail_price=30_000,
    payment_price=30_000,
    position=1,
    weeks=6,
    summary="Read the numbers, brief the team and spend with a reason. Made for people who sign the budget.",
    description=(
        "Six weeks online for directors and founders in Kenya: read marketing figures in shillings, brief agencies, "
        "and plan two quarters. {price}."
    ),
    look="dune",
    cover="/photographs/course-digital-marketing/960x640.jpg",
    head="/art/heads/digital-marketing.svg",
    icon="course-digital-marketing",
    catalogue=CatalogueCard(
        id=1,
        title="Digital Marketing for CEOs",
        category=CourseCategory.MARKETING,
        description="Read the numbers, brief the team, spend with a reason. Made for people who sign the budget.",
        duration="6 Weeks",
        level="Executive",
        rating=4.9,
    ),
    featured=FeaturedCard(
        id=1,
        title="Digital Marketing for CEOs",
        rating=4.8,
        line="For people who sign the budget and want to know what it buys.",
    ),
    detail=CourseDetail(
        lead="For people who sign the budget: read the numbers, brief the team, and know what to stop.",
        overview=(
            "You do not need to learn where the buttons are. You need to know what KES 400,000 a month should bring "
            "back, which report tells you, and what to ask when it does not.",
            "The group is small and senior: managing directors, founders and heads of department from trades that do "
            "not compete. You work on your own company's figures, under a confidentiality note that everybody signs, "
            "and you finish with a plan for two quarters that your finance manager has read and agreed with.",
        ),
        audience=(
            "Managing directors who approve the spending and see only likes in the report",
            "Founders with twenty staff who still answer the Instagram inbox themselves",
            "Heads of finance or operations who took marketing over when somebody left",
            "Families handing the shop on to the next generation, website included",
        ),
        level="Executive",
        learn_heading="Skills you build",
        learn=(
            "Reading a funnel in shillings: cost per enquiry, per quote, per sale",
            "Setting a budget by season: back to school, long rains, December",
            "Writing a one-page brief that no agency can misread",
            "Telling a good report from a pretty one in five minutes",
            "Deciding whom to hire: what a team of one, three or six can really do",
            "Collecting phone numbers the way the Data Protection Act allows",
        ),
        weeks=(
            Week(
                title="Where the money goes now",
                text=(
                    "Twelve months of spending on one page: boosted posts, radio, the billboard on Mombasa Road, the "
                    "cousin who looks after the website."
                ),
                task="a spend map of your company, with a mark beside every line that nobody can explain.",
            ),
            Week(
                title="What a customer is worth",
                text=(
                    "Margin, repeat orders and the cost of winning one buyer, worked through for a hardware shop, a "
                    "clinic and a tour operator before you do it for yourself."
                ),
                task="your ceiling: the most that you may pay for a new customer.",
            ),
            Week(
                title="The channels, without the sales talk",
                text=(
                    "Search, social, mail, WhatsApp and radio side by side: what each does well in Kenya, what it costs "
                    "to begin, and the point at which it stops paying."
                ),
                task="a short list: three channels kept, two dropped, and the reasons in writing.",
            ),
            Week(
                title="Briefs, people and agencies",
                text=(
                    "What to do in the house and what to buy. How to compare three quotations that do not describe the "
                    "same work, and how to leave an agency without losing your own data."
                ),
                task="a one-page brief, read aloud and taken apart by the group.",
            ),
            Week(
                title="Reports that lead to a decision",
                text=(
                    "Seven figures and no more. We match M-Pesa and bank statements against campaigns, so that sales "
                    "are counted and not guessed."
                ),
                task="your Monday report, filled with last month's figures.",
            ),
            Week(
                title="Two quarters ahead",
                text="You present for ten minutes. The group asks what your board would ask, and a little more.",
                task="a plan with a budget, a name beside every task, and the three figures that would make you stop.",
            ),
        ),
        benefits=(
            Benefit(
                title="A shorter Monday meeting",
                text="One page with seven figures takes the place of the forty slides that nobody finished.",
            ),
            Benefit(
                title="A budget you can defend",
                text="Every line has a purpose, a ceiling and a date on which you look at it again.",
            ),
            Benefit(
                title="Better work from your agency",
                text="They get a brief they can price and a figure they are judged by. That includes us.",
            ),
            Benefit(
                title="People to call",
                text="Your group keeps its chat, and everybody in it has just seen the inside of your problem.",
            ),
        ),
        voice=LearnerVoice(
            name="Josphat Mwendwa",
            title="Managing director, timber and hardware, Thika",
            quote=(
                "I used to sign for boosted posts the way I sign for tea and sugar. In week two I worked out what one "
                "contractor is worth to us, and in week three I stopped half of the spending. Sales did not notice. My "
                "accountant did."
            ),
            image="/images/learners/digital-marketing.svg",
            portrait=Portrait(
                skin="ebony", hair="short", wear="blazer", hair_colour="#8E857E", glasses="round"
            ),
        ),
        prepare=(
            "Last year's marketing invoices, the M-Pesa statement of your busiest month, and one person in finance who "
            "answers a question a week."
        ),
        outcome="A marketing plan for two quarters that your finance manager has signed.",
        related=("digital-marketing-masterclass", "google-ads", "email-marketing"),
    ),
)
