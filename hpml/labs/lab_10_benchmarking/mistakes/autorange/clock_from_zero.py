"""A clock shows some number of seconds, not zero, when it is first read. Take the difference of two
readings."""

LIKE = "since_the_beginning"
CHANGES = {"start = clock()": "start = 0"}
