"""Does a tool-using agent stop on its own judgments?"""
