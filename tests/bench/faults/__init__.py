"""Faults of real processes while shoppers pay: servers are killed and stopped, databases end, messages get lost.

`python -m tests.bench.faults --database sqlite --schedules 20 --seed 1` runs that many schedules. Each is drawn from its seed
alone: who pays, what fails and when. Once everything has healed, what the site has stored is compared with what M-Pesa has
charged. See docs/money.md.
"""
