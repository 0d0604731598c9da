"""Plans what is to be written for people: answers, reports, talk pages.

Nothing is written here: each plan ends in posts for the outbox, stored together with
the end of the plan. Every plan may be made again at any time, and then asks for nothing
new.
"""
