//! A row's shape with weights in a format.

use tokmark_units::float;

use crate::spec::{ModelSpec, Weights};
use crate::weights::WeightFormat;

use super::{Model, RecurrentKind};

impl Model {
    /// The model with its linear layers in `format`; `None` where its parameters or its cache are
    /// not known ([`Model::not_modelled`]).
    ///
    /// The parts follow from the totals. Table and head have `vocabulary · hidden` each, one of them
    /// where they are tied. The experts of all layers have `layers · E · matrices · hidden · width`
    /// parameters where the width is known, else `(total − active) · E/(E − k)`: what a token is not
    /// sent to is `E − k` of `E` experts. The rest is dense. In a dense model that counts fewer
    /// active than total parameters, the difference is tables that are looked up (Gemma's tables a
    /// layer). The file of a real checkpoint knows better: see [`crate::read`].
    pub fn spec(&self, format: WeightFormat) -> Option<ModelSpec> {
        let total = self
            .total_parameters_b
            .filter(|_| self.not_modelled.is_none())?
            * 1e9;
        let table = float::from_u64(self.vocabulary.into()) * float::from_u64(self.hidden.into());
        let experts = self.all_experts(total);
        let mut lookup = if self.tied_embeddings { 0.0 } else { table };
        if self.experts.is_none() {
            lookup += total
                - self
                    .active_parameters_b
                    .map_or(total, |active| active * 1e9);
        }
        let dense = total - experts - lookup - table;
        let mut weights = Weights::in_format(lookup, table, dense, experts, format);
        if matches!(format, WeightFormat::Int { .. }) {
            weights.dense = weights
                .dense
                .with_some_in(self.mamba_parameters(), WeightFormat::F16);
        }
        (dense > 0.0).then(|| ModelSpec {
            architecture: self.architecture.clone(),
            blocks: self.blocks,
            hidden: self.hidden,
            vocabulary: self.vocabulary,
            tied_embeddings: self.tied_embeddings,
            max_context_tokens: Some(self.max_context_tokens),
            attention: self.attention.clone(),
            recurrent: self.recurrent.into_iter().collect(),
            experts: self.experts,
            weights,
            quantization: None,
        })
    }

    /// Parameters of the projections of all Mamba-2 layers.
    ///
    /// In: `hidden · (2 · inner + gates + heads)`, out: `inner · hidden`, with
    /// `inner = heads · head size` and `gates = convolution channels − inner`.
    fn mamba_parameters(&self) -> f64 {
        let Some(layer) = self
            .recurrent
            .filter(|_| self.recurrent_kind == Some(RecurrentKind::Mamba2))
        else {
            return 0.0;
        };
        let of = |value: u32| float::from_u64(value.into());
        let inner = of(layer.heads) * of(layer.value_dim);
        let gates = of(layer.convolution_channels) - inner;
        let rows = 3.0 * inner + gates + of(layer.heads);
        of(layer.layers) * of(self.hidden) * rows
    }

    /// Parameters of the routed experts of all layers.
    fn all_experts(&self, total: f64) -> f64 {
        let Some(experts) = self.experts else {
            return 0.0;
        };
        let all = float::from_u64(experts.experts.into());
        let unused = all - float::from_u64(experts.per_token.into());
        match (self.expert_parameters, self.active_parameters_b) {
            (Some(one), _) => float::from_u64(experts.layers.into()) * all * one,
            (None, Some(active)) if unused > 0.0 => (total - active * 1e9) * all / unused,
            _ => 0.0,
        }
    }
}
