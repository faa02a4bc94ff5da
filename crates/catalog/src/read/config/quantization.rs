//! `quantization_config`: which module is stored how.

use crate::weights::WeightFormat;

use super::super::ReadError;
use super::fields::Fields;
use super::modules::{Class, Module};
use super::rules::Rules;

/// The formats of a checkpoint.
#[derive(Debug, Clone)]
pub(super) struct Quantization {
    /// The method in the file's words.
    name: Option<String>,
    /// What is not quantized.
    base: WeightFormat,
    /// Formats with the modules that have them; the first that covers a module wins. An empty list
    /// covers all.
    schemes: Vec<(Rules, WeightFormat)>,
    /// Modules left alone.
    ignored: Rules,
    /// Whether only the experts are converted.
    experts_only: bool,
    /// Of the output head, where the method converts it.
    head: Option<WeightFormat>,
    /// Whether embedding and head are converted like all else (MLX).
    tables_too: bool,
}

impl Quantization {
    /// Of a configuration, its language part and the file beside it.
    pub(super) fn read(
        outer: Fields<'_>,
        text: Fields<'_>,
        beside: Option<Fields<'_>>,
    ) -> Result<Self, ReadError> {
        let base = base(outer, text)?;
        for fields in [text, outer] {
            if let Some(config) = fields.object("quantization_config")? {
                return Self::of_method(config, base);
            }
        }
        if let Some(config) = beside
            .map(|file| file.object("quantization"))
            .transpose()?
            .flatten()
        {
            return Self::of_modelopt(config, base);
        }
        if let Some(config) = outer.object("quantization")? {
            return Self::of_mlx(config, base);
        }
        Ok(Self::plain(base))
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(super) fn format_of(&self, module: &Module) -> WeightFormat {
        match module.class {
            Class::Embedding | Class::Lookup | Class::Head if self.tables_too => {
                self.scheme(module)
            }
            Class::Kept | Class::Embedding | Class::Lookup => self.base,
            Class::Head if self.ignored.cover(&module.path) => self.base,
            Class::Head => self.head.unwrap_or(self.base),
            Class::Linear if self.experts_only => self.base,
            Class::Linear | Class::Experts => self.scheme(module),
        }
    }

    fn scheme(&self, module: &Module) -> WeightFormat {
        if self.ignored.cover(&module.path) {
            return self.base;
        }
        let covers =
            |(rules, _): &&(Rules, WeightFormat)| rules.is_empty() || rules.cover(&module.path);
        self.schemes
            .iter()
            .find(covers)
            .map_or(self.base, |(_, format)| *format)
    }

    fn plain(base: WeightFormat) -> Self {
        Self {
            name: None,
            base,
            schemes: Vec::new(),
            ignored: Rules::default(),
            experts_only: false,
            head: None,
            tables_too: false,
        }
    }

    fn of_method(config: Fields<'_>, base: WeightFormat) -> Result<Self, ReadError> {
        let method = match config.text("quant_method")? {
            Some(method) => method,
            // ModelOpt's own files leave the method out.
            None if config.get("quant_algo").is_some() => "modelopt",
            None => return Err(ReadError::missing("quant_method")),
        };
        let mut quantization = match method {
            "compressed-tensors" => Self::of_compressed_tensors(config, base)?,
            "modelopt" | "modelopt_fp4" | "modelopt_mixed" => Self::of_modelopt(config, base)?,
            _ => Self {
                schemes: vec![(Rules::default(), of_name(method, config)?)],
                experts_only: method == "mxfp4",
                head: head(method, config)?,
                ..Self::plain(base)
            },
        };
        if quantization.ignored.is_empty() {
            quantization.ignored = ignored(config)?;
        }
        quantization.name = Some(method.to_owned());
        Ok(quantization)
    }

    /// `config_groups`: weights with bits, group and strategy, each for its targets.
    fn of_compressed_tensors(config: Fields<'_>, base: WeightFormat) -> Result<Self, ReadError> {
        let groups = config
            .object("config_groups")?
            .ok_or_else(|| ReadError::missing("config_groups"))?;
        let mut schemes = Vec::new();
        for (name, group) in groups.all() {
            let group = group.as_object().map(Fields::new);
            let group =
                group.ok_or_else(|| ReadError::wrong(name, "something else", "an object"))?;
            let Some(weights) = group.object("weights")? else {
                continue;
            };
            let targets = group.texts("targets")?.unwrap_or_default();
            // `Linear` is the class of all matrices.
            let everywhere = targets.is_empty() || targets.contains(&"Linear");
            let rules = if everywhere {
                Rules::default()
            } else {
                Rules::read(targets.into_iter())?
            };
            // What is named comes before what is left.
            let place = if everywhere { schemes.len() } else { 0 };
            schemes.insert(place, (rules, of_weights(weights)?));
        }
        Ok(Self {
            schemes,
            ..Self::plain(base)
        })
    }

    /// NVIDIA's: one algorithm, or one a module.
    fn of_modelopt(config: Fields<'_>, base: WeightFormat) -> Result<Self, ReadError> {
        let mut schemes = Vec::new();
        if let Some(layers) = config.object("quantized_layers")? {
            for (name, layer) in layers.all() {
                let layer = layer.as_object().map(Fields::new);
                let algorithm = layer.map_or(Ok(None), |layer| layer.text("quant_algo"))?;
                let format = of_algorithm(algorithm.unwrap_or_default(), config)?;
                schemes.push((name.as_str(), format));
            }
        }
        let algorithm = config.text("quant_algo")?;
        let schemes = if schemes.is_empty() {
            let format = of_algorithm(algorithm.unwrap_or_default(), config)?;
            vec![(Rules::default(), format)]
        } else {
            by_format(schemes)?
        };
        Ok(Self {
            name: algorithm.map(|algorithm| format!("modelopt {algorithm}")),
            schemes,
            ignored: ignored(config)?,
            ..Self::plain(base)
        })
    }

    /// MLX: everything in groups with scale and offset, single modules otherwise.
    fn of_mlx(config: Fields<'_>, base: WeightFormat) -> Result<Self, ReadError> {
        let mut schemes = Vec::new();
        let mut kept = Vec::new();
        for (name, value) in config.all() {
            match value {
                serde_json::Value::Object(own) => {
                    schemes.push((name.as_str(), of_mlx_group(Fields::new(own))?));
                }
                serde_json::Value::Bool(false) => kept.push(name.as_str()),
                _ => {}
            }
        }
        let mut schemes = by_format(schemes)?;
        schemes.push((Rules::default(), of_mlx_group(config)?));
        Ok(Self {
            name: Some("mlx".to_owned()),
            schemes,
            ignored: Rules::read(kept.into_iter())?,
            tables_too: true,
            ..Self::plain(base)
        })
    }
}

/// Modules of equal format under one list.
fn by_format(modules: Vec<(&str, WeightFormat)>) -> Result<Vec<(Rules, WeightFormat)>, ReadError> {
    let mut formats: Vec<(WeightFormat, Vec<&str>)> = Vec::new();
    for (name, format) in modules {
        match formats.iter_mut().find(|(known, _)| *known == format) {
            Some((_, names)) => names.push(name),
            None => formats.push((format, vec![name])),
        }
    }
    formats
        .into_iter()
        .map(|(format, names)| Ok((Rules::read(names.into_iter())?, format)))
        .collect()
}

fn base(outer: Fields<'_>, text: Fields<'_>) -> Result<WeightFormat, ReadError> {
    let mut word = None;
    for fields in [text, outer] {
        for name in ["dtype", "torch_dtype"] {
            word = word.or(fields.text(name)?);
        }
    }
    match word.map(|word| word.trim_start_matches("torch.")) {
        None | Some("bfloat16" | "float16" | "auto") => Ok(WeightFormat::F16),
        Some("float32" | "float") => Ok(WeightFormat::F32),
        Some(word) if word.starts_with("float8") => Ok(WeightFormat::Fp8),
        Some(other) => Err(ReadError::unknown("the data type", other)),
    }
}

fn ignored(config: Fields<'_>) -> Result<Rules, ReadError> {
    let mut entries = Vec::new();
    for name in [
        "ignore",
        "exclude_modules",
        "modules_to_not_convert",
        "ignored_layers",
        "llm_int8_skip_modules",
        "exclude",
    ] {
        entries.extend(config.texts(name)?.unwrap_or_default());
    }
    Rules::read(entries.into_iter())
}

/// Methods with one format for all that they convert.
fn of_name(method: &str, config: Fields<'_>) -> Result<WeightFormat, ReadError> {
    let flag = |name: &str| config.flag(name).map(|flag| flag.unwrap_or(false));
    let format = match method {
        "awq" => grouped(config, "zero_point", true)?,
        // GPTQ stores zeros even where they all are the same.
        "gptq" | "gptq_marlin" => grouped(config, "", true)?,
        "auto-round" | "intel/auto-round" => {
            let symmetric = config.flag("sym")?.unwrap_or(true);
            grouped(config, "", !symmetric)?
        }
        "fp8" | "fbgemm_fp8" if config.get("weight_block_size").is_some() => WeightFormat::Fp8Block,
        "fp8" | "fbgemm_fp8" => WeightFormat::Fp8,
        "mxfp4" => WeightFormat::Mxfp4,
        "bitsandbytes" if flag("load_in_8bit")? => WeightFormat::Int {
            bits: 8,
            group: None,
            zeros: false,
        },
        "bitsandbytes" => WeightFormat::Nf4 {
            double: flag("bnb_4bit_use_double_quant")?,
        },
        "exl2" | "exl3" => WeightFormat::Exl {
            bits: average(config, "bits")?.ok_or_else(|| ReadError::missing("bits"))?,
        },
        "hqq" => of_mlx_group(config)?,
        other => return Err(ReadError::unknown("the quantization method", other)),
    };
    Ok(format)
}

/// The head, where a method says that it converts it.
fn head(method: &str, config: Fields<'_>) -> Result<Option<WeightFormat>, ReadError> {
    if method.starts_with("exl") {
        let bits = average(config, "head_bits")?.unwrap_or(6.0);
        return Ok(Some(WeightFormat::Exl { bits }));
    }
    if config.flag("lm_head")?.unwrap_or(false) {
        return of_name(method, config).map(Some);
    }
    Ok(None)
}

fn average(config: Fields<'_>, name: &str) -> Result<Option<f64>, ReadError> {
    let Some(value) = config.get(name) else {
        return Ok(None);
    };
    let bits = value.as_f64().filter(|bits| (1.0..=16.0).contains(bits));
    bits.map(Some)
        .ok_or_else(|| ReadError::wrong(name, &value.to_string(), "bits from 1 to 16"))
}

fn bits(config: Fields<'_>) -> Result<u8, ReadError> {
    let bits = config.needed("bits", &["num_bits", "w_bit", "nbits"], 16)?;
    Ok(u8::try_from(bits).unwrap_or(16))
}

/// `group_size`; below zero for one scale a channel.
fn group(config: Fields<'_>) -> Result<Option<u32>, ReadError> {
    let names = ["group_size", "q_group_size"];
    let Some((name, value)) = names
        .iter()
        .find_map(|name| Some((*name, config.get(name)?)))
    else {
        return Ok(None);
    };
    match value.as_i64() {
        Some(group) if group <= 0 => Ok(None),
        Some(group) => u32::try_from(group)
            .map(Some)
            .map_err(|_| ReadError::wrong(name, &value.to_string(), "a group size")),
        None => Err(ReadError::wrong(name, &value.to_string(), "a group size")),
    }
}

fn grouped(config: Fields<'_>, zeros: &str, usual: bool) -> Result<WeightFormat, ReadError> {
    Ok(WeightFormat::Int {
        bits: bits(config)?,
        group: group(config)?,
        zeros: config.flag(zeros)?.unwrap_or(usual),
    })
}

/// Scale and offset in 16 bits a group.
fn of_mlx_group(config: Fields<'_>) -> Result<WeightFormat, ReadError> {
    if config.text("mode")? == Some("mxfp4") {
        return Ok(WeightFormat::Mxfp4);
    }
    Ok(WeightFormat::Hqq {
        bits: bits(config)?,
        group: group(config)?.unwrap_or(64),
    })
}

/// compressed-tensors' description of weights.
fn of_weights(weights: Fields<'_>) -> Result<WeightFormat, ReadError> {
    let bits = bits(weights)?;
    let group = group(weights)?;
    let strategy = weights.text("strategy")?.unwrap_or_default();
    match (weights.text("type")?.unwrap_or("int"), bits) {
        ("float", 8) if strategy == "block" => Ok(WeightFormat::Fp8Block),
        ("float", 8) => Ok(WeightFormat::Fp8),
        ("float", 4) if group == Some(32) => Ok(WeightFormat::Mxfp4),
        ("float", 4) => Ok(WeightFormat::Nvfp4),
        ("int", _) => Ok(WeightFormat::Int {
            bits,
            group: group.filter(|_| strategy != "channel" && strategy != "tensor"),
            zeros: !weights.flag("symmetric")?.unwrap_or(true),
        }),
        (kind, _) => Err(ReadError::unknown("the type of weights", kind)),
    }
}

/// `ModelOpt`'s words.
fn of_algorithm(word: &str, config: Fields<'_>) -> Result<WeightFormat, ReadError> {
    match word {
        "FP8" | "FP8_PER_CHANNEL_PER_TOKEN" | "FP8_PB_WO" => Ok(WeightFormat::Fp8),
        "NVFP4" | "W4A16_NVFP4" | "NVFP4_AWQ" => Ok(WeightFormat::Nvfp4),
        "MXFP4" | "W4A8_MXFP4_FP8" => Ok(WeightFormat::Mxfp4),
        "W4A16_AWQ" | "W4A8_AWQ" => Ok(WeightFormat::Int {
            bits: 4,
            group: group(config)?.or(Some(128)),
            zeros: false,
        }),
        "W8A16" | "W8A8_SQ_PER_CHANNEL" | "INT8" => Ok(WeightFormat::Int {
            bits: 8,
            group: None,
            zeros: false,
        }),
        other => Err(ReadError::unknown("the quantization algorithm", other)),
    }
}
