"""Words of messages: a file each language, named by its tag; another language is one more file."""
