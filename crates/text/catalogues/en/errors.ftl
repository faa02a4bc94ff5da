### What is wrong with a question to the calculator.

share-range = the share is above 0 and up to 1
two-rents = there is a rent already: leave one of them empty
not-a-rent = `{ $word }` is not low, typical or high
zero-or-more = this is 0 or more
price-needs-lifetime = a price needs a lifetime
price-needs-electricity = a price needs that of electricity
no-currency = `{ $code }` is no currency code such as USD or EUR
requests-range = requests are between 1 and 65536
context-range = a context is at most 1G tokens
two-numbers = `{ $machine }` and { $given } are two numbers of accelerators
max-unknown = `max` is not known for this model; say the longest request
too-long = this is too long
on-or-left-out = this is `on`, or left out
no-number = `{ $text }` is no number
above-zero = this must be above 0
no-whole-number = `{ $text }` is no whole number
no-field = there is no such field
unanswerable = this question cannot be answered
say-how-many = say how many
people-range = people are between 1 and 65536
