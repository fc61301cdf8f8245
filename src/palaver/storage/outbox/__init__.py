"""What is to be sent: letters, credits of panels and notices by hook, and the sender of them all."""
