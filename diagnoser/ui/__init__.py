"""The app. What is on a screen is a pure function of the table, the state and the advice: see `presentation`."""
