"""What Java, Kotlin and Scala share."""
