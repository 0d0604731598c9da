"""What a document that was found says about itself, before it is judged. Pure.

Takes a source that was read, and returns its usable sentences (`prose`), its own date
(`dates`), its language (`language`), whether it is about the article's subject (`gate`) or
copies it (`document`), which sentence tells most that the article lacks (`specific`), and
whether it addresses a program (`orders`). Start with `document`.
"""
