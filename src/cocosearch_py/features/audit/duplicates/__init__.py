"""Code that stands in a repository more than once.

`stream` has its tokens, `repeats` finds what occurs again, `clones` makes the largest groups of that, `places` says
where they stand, `detector` makes findings of them.
"""
