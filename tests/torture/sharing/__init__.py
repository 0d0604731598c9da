"""Workers and readers in processes of their own share one database, and are killed."""
