"""What is said and how it is read: judgments of a result, and the rule that counts them."""
