// The parts of a page on which people write against a model: the form, or the marking of a turn.

import "./mark-turn.js";
import "./write-try.js";
