### What surrounds each page, and pages of errors.

skip-to-content = Skip to content
site-navigation = Site
language-switch = Language
made-with = Made with tokmark. K is 1,024 tokens.
copy = Copy
copied = Copied
not-found = Nothing is here
not-found-text = The address may be mistyped, or what stood here is gone.
internal = Something went wrong here. It has been written down.
to-start = To the start page
decode-calculator = Decode calculator
matrix-runs = Matrix runs
hardware = Hardware
