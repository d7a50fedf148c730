"""Who gets no message: numbers of lists, marked rows, and whom an earlier campaign reached."""
