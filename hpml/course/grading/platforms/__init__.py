"""What learning platforms need: lists of students in, grades and an autograder out."""
