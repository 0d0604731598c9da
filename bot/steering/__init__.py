"""What readers' decisions say about how surely a finding has to be right to be shown.

Pure but for what is remembered for a minute: decisions in, least probabilities out.
"""

from bot.steering.remembered import Remembered
from bot.steering.steering import Steered, Steering, SteeringRules, steering

__all__ = ["Remembered", "Steered", "Steering", "SteeringRules", "steering"]
