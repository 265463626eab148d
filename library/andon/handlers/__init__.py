"""Entry points of Lambda, one file for each role: a function names its file, and so imports no other role's code.

Each loads the declaration of the package that the environment names, see `declared.py`, and gives it to the function of
the room that does the work. A name here stands in each template: one that changes breaks functions while they deploy.
"""
