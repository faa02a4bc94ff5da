//! The same question about other places, and how many requests fit.

use tokmark_units::float;

use crate::memory::Fit;
use crate::query::Question;

/// More requests than any server runs at once.
const MOST: u32 = 65_536;

impl Question {
    /// The same question about other contexts and requests.
    #[must_use]
    pub fn at(&self, contexts: &[u64], requests: &[u32]) -> Self {
        Self {
            contexts: contexts.to_vec(),
            requests: requests.to_vec(),
            ..self.clone()
        }
    }

    /// The most requests at once with such a context: of which it is sure that they fit, and of
    /// which it may be. 0 where not one does.
    pub fn most_requests(&self, context: u64) -> (u32, u32) {
        let prompt = float::from_u64(context);
        let output = float::from_u64(self.output_tokens);
        let most = |enough: &dyn Fn(Fit) -> bool| {
            let (mut fits, mut fails) = (0, MOST + 1);
            while fails - fits > 1 {
                let middle = u32::midpoint(fits, fails);
                let fit = self.setup.fits(&self.limits, middle, prompt, output);
                if enough(fit) {
                    fits = middle;
                } else {
                    fails = middle;
                }
            }
            fits
        };
        (
            most(&|fit| fit == Fit::Fits),
            most(&|fit| fit != Fit::DoesNotFit),
        )
    }
}
