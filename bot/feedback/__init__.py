"""What readers' decisions say about how surely a finding has to be right to be shown.

Pure but for what is remembered for a minute: decisions in, least probabilities out.
"""

from bot.feedback.feedback import Steered, Steering, SteeringRules, steering
from bot.feedback.remembered import Remembered

__all__ = ["Remembered", "Steered", "Steering", "SteeringRules", "steering"]
