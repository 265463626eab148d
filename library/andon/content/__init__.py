"""Contents of users, as photos: each once in a bucket, named by its digest, for as long as something refers to it."""
