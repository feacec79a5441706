//! The source of the modelled functions, for the code panel, and which lines a variant does not have.
