"""What a panel is asked for: places, pay, codes and filters, and what they would cost."""
