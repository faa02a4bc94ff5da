//! What of a machine the roofline needs.

use tokmark_units::float;

use crate::hardware::{Hardware, Rates};
use crate::weights::Arithmetic;

/// Memory and arithmetic of one or several equal accelerators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Bandwidth of one in GB/s (10^9 bytes a second).
    pub bandwidth_gb_per_s: f64,
    /// Arithmetic of one.
    pub rates: Rates,
    /// How many of them share the model's layers (tensor parallel).
    pub count: u32,
}

impl Machine {
    /// One accelerator of the catalog.
    pub fn of(hardware: &Hardware) -> Self {
        Self {
            bandwidth_gb_per_s: hardware.bandwidth_gb_per_s,
            rates: hardware.rates,
            count: 1,
        }
    }

    /// So many of it. What they tell each other over their link is not counted: it only makes them
    /// slower.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// Bytes a second of all together.
    pub fn bytes_per_s(&self) -> f64 {
        self.bandwidth_gb_per_s * 1e9 * self.count()
    }

    /// Operations a second of all together, by the fastest arithmetic that will do: a format of
    /// fewer bits can always be widened. `None` where no rate is known.
    pub fn operations_per_s(&self, arithmetic: Arithmetic) -> Option<f64> {
        let rates = &self.rates;
        let wide = [rates.fp16_tflops, rates.fp16_accumulate_tflops];
        let narrow = match arithmetic {
            Arithmetic::Fp16 => [None, None, None],
            Arithmetic::Int8 => [rates.int8_tops, rates.fp8_tflops, None],
            Arithmetic::Fp8 => [rates.fp8_tflops, rates.int8_tops, None],
            Arithmetic::Fp4 => [rates.fp4_tflops, rates.fp8_tflops, rates.int8_tops],
        };
        let fastest = wide.into_iter().chain(narrow).flatten().reduce(f64::max)?;
        Some(fastest * 1e12 * self.count())
    }

    fn count(&self) -> f64 {
        float::from_u64(self.count.max(1).into())
    }
}
