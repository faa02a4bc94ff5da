//! What tokens cost, rented or owned.

/// Seconds of an hour.
const HOUR_S: f64 = 3_600.0;

/// Tokens that prices are stated for.
const MILLION: f64 = 1e6;

/// An amount of one currency. Amounts of different currencies cannot be added.
#[derive(Debug, Clone, PartialEq)]
pub struct Money {
    /// How much.
    pub amount: f64,
    /// ISO 4217, for example `USD`.
    pub currency: String,
}

/// Two amounts whose currencies differ.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {second} are two currencies; give both prices in one")]
pub struct CurrenciesDiffer {
    /// The currency of one.
    pub first: String,
    /// The currency of the other.
    pub second: String,
}

/// What a machine costs.
#[derive(Debug, Clone, PartialEq)]
pub enum Tenure {
    /// By the hour, whether it works or not.
    Rented {
        /// Of all accelerators together, an hour.
        per_hour: Money,
    },
    /// Bought, with its electricity.
    Owned {
        /// Of the whole machine.
        price: Money,
        /// Hours until it is worth nothing.
        lifetime_h: f64,
        /// A kilowatt-hour.
        electricity_per_kwh: Money,
        /// Power at the meter over power at the machine: 1 at home, 1.2 to 1.4 where a room is
        /// cooled.
        overhead: f64,
    },
}

/// What the machine does on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Output tokens a second while it decodes.
    pub output_tokens_per_s: f64,
    /// Prompt tokens a second while it reads; `None` where it is not known.
    pub prompt_tokens_per_s: Option<f64>,
    /// Watts while it decodes.
    pub decode_w: Option<f64>,
    /// Watts while it reads.
    pub prefill_w: Option<f64>,
    /// Share of the hours in which it works, above 0 and up to 1.
    pub utilization: f64,
}

/// Prices of a million tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenCost {
    /// Output tokens.
    pub output_per_million: Money,
    /// Input tokens, not cached.
    pub input_per_million: Option<Money>,
    /// Kilowatt-hours of a million output tokens.
    pub kwh_per_million_output: Option<f64>,
}

impl Money {
    /// An amount.
    pub fn new(amount: f64, currency: impl Into<String>) -> Self {
        Self {
            amount,
            currency: currency.into(),
        }
    }

    /// The sum, of one currency.
    pub fn plus(&self, other: &Self) -> Result<Self, CurrenciesDiffer> {
        if self.currency != other.currency {
            return Err(CurrenciesDiffer {
                first: self.currency.clone(),
                second: other.currency.clone(),
            });
        }
        Ok(Self::new(self.amount + other.amount, &self.currency))
    }
}

impl Tenure {
    /// What an hour costs: in which the machine works at so many watts.
    ///
    /// Rented: the price, over the share of hours that it works. Owned:
    /// `price / (lifetime · utilization) + watts/1000 · electricity · overhead`. Idle hours draw
    /// nothing in this figure.
    pub fn per_working_hour(
        &self,
        utilization: f64,
        watts: Option<f64>,
    ) -> Result<Option<Money>, CurrenciesDiffer> {
        match self {
            Self::Rented { per_hour } => Ok(Some(Money::new(
                per_hour.amount / utilization,
                &per_hour.currency,
            ))),
            Self::Owned {
                price,
                lifetime_h,
                electricity_per_kwh,
                overhead,
            } => {
                let Some(watts) = watts else {
                    return Ok(None);
                };
                let share = Money::new(price.amount / (lifetime_h * utilization), &price.currency);
                let power = Money::new(
                    watts / 1e3 * electricity_per_kwh.amount * overhead,
                    &electricity_per_kwh.currency,
                );
                share.plus(&power).map(Some)
            }
        }
    }

    /// Prices of a million tokens: `10^6 · price of a working hour / (3600 · tokens a second)`.
    ///
    /// `None` where the machine is owned and its power is not known.
    ///
    /// # Errors
    ///
    /// Price and electricity are of two currencies.
    pub fn per_million(&self, work: &Work) -> Result<Option<TokenCost>, CurrenciesDiffer> {
        let price = |hour: &Money, rate: f64| {
            Money::new(MILLION * hour.amount / (HOUR_S * rate), &hour.currency)
        };
        let Some(decoding) = self.per_working_hour(work.utilization, work.decode_w)? else {
            return Ok(None);
        };
        let reading = self.per_working_hour(work.utilization, work.prefill_w)?;
        let input = reading.zip(work.prompt_tokens_per_s);
        Ok(Some(TokenCost {
            output_per_million: price(&decoding, work.output_tokens_per_s),
            input_per_million: input.map(|(hour, rate)| price(&hour, rate)),
            kwh_per_million_output: work
                .decode_w
                .map(|watts| MILLION * watts / (HOUR_S * 1e3 * work.output_tokens_per_s)),
        }))
    }
}

/// Working hours after which buying is cheaper than renting:
/// `price / (rent − watts/1000 · electricity · overhead)`; `None` when renting never costs more than
/// the electricity.
///
/// # Errors
///
/// The amounts are of different currencies.
pub fn break_even_hours(
    price: &Money,
    rent_per_hour: &Money,
    electricity_per_kwh: &Money,
    overhead: f64,
    watts: f64,
) -> Result<Option<f64>, CurrenciesDiffer> {
    let power = Money::new(
        -watts / 1e3 * electricity_per_kwh.amount * overhead,
        &electricity_per_kwh.currency,
    );
    let saved = rent_per_hour.plus(&power)?;
    price.plus(&saved)?;
    Ok((saved.amount > 0.0).then(|| price.amount / saved.amount))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(amount: f64) -> Money {
        Money::new(amount, "USD")
    }

    /// 291.6 tok/s on a card of 350 W with a host of 80 W: 0.41 kWh and 0.07 USD of power a million
    /// tokens at 0.17, 0.21 USD rented at 0.22 an hour.
    #[test]
    fn a_million_tokens_of_a_14b_model() {
        let work = Work {
            output_tokens_per_s: 291.6,
            prompt_tokens_per_s: Some(3_188.0),
            decode_w: Some(430.0),
            prefill_w: Some(430.0),
            utilization: 1.0,
        };
        let rented = Tenure::Rented {
            per_hour: usd(0.22),
        };
        let cost = rented.per_million(&work).unwrap().unwrap();
        assert!((cost.output_per_million.amount - 0.2096).abs() < 1e-4);
        assert!((cost.kwh_per_million_output.unwrap() - 0.4096).abs() < 1e-4);
        assert!((cost.input_per_million.unwrap().amount - 0.01917).abs() < 1e-5);
        let owned = |price| Tenure::Owned {
            price: usd(price),
            lifetime_h: 26_280.0,
            electricity_per_kwh: usd(0.17),
            overhead: 1.0,
        };
        let power = owned(0.0).per_million(&work).unwrap().unwrap();
        assert!((power.output_per_million.amount - 0.0696).abs() < 1e-4);
        // 1,000 over 3 years of work at half of the hours: 0.0761 an hour, 0.0725 a million.
        let half = Work {
            utilization: 0.5,
            ..work
        };
        let whole = owned(1_000.0).per_million(&half).unwrap().unwrap();
        assert!((whole.output_per_million.amount - (0.0696 + 0.0725)).abs() < 2e-4);
    }

    #[test]
    fn buying_pays_after_the_break_even() {
        let hours = break_even_hours(&usd(800.0), &usd(0.22), &usd(0.17), 1.0, 430.0);
        assert!((hours.unwrap().unwrap() - 800.0 / (0.22 - 0.0731)).abs() < 1e-6);
        let never = break_even_hours(&usd(800.0), &usd(0.05), &usd(0.17), 1.0, 430.0);
        assert_eq!(never, Ok(None));
    }

    #[test]
    fn currencies_are_never_added_up() {
        let owned = Tenure::Owned {
            price: Money::new(700.0, "EUR"),
            lifetime_h: 10_000.0,
            electricity_per_kwh: usd(0.17),
            overhead: 1.0,
        };
        let error = owned.per_working_hour(1.0, Some(400.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "EUR and USD are two currencies; give both prices in one"
        );
        assert!(break_even_hours(&usd(1.0), &Money::new(1.0, "EUR"), &usd(0.1), 1.0, 1.0).is_err());
    }

    #[test]
    fn an_owned_machine_of_unknown_power_has_no_price() {
        let owned = Tenure::Owned {
            price: usd(700.0),
            lifetime_h: 10_000.0,
            electricity_per_kwh: usd(0.17),
            overhead: 1.0,
        };
        assert_eq!(owned.per_working_hour(1.0, None), Ok(None));
    }
}
