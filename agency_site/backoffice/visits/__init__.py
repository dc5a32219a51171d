"""Where visitors come from: the screen of visits, and the weekly mail to owners."""
