"""What readers' decisions say about how surely a finding has to be right to be shown.

Pure but for what is remembered for a minute: decisions in, least probabilities out.
"""

from bot.surfaces.feedback.feedback import Steered, Steering, SteeringRules, steering
from bot.surfaces.feedback.remembered import Remembered

__all__ = ["Remembered", "Steered", "Steering", "SteeringRules", "steering"]
