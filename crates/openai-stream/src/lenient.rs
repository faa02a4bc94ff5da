//! Reading JSON whose types cannot be relied on: a value of the wrong type is as good as absent,
//! and never the reason why an event is lost.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use tokmark_units::float;

/// A type that can be read from any JSON value; what it does not understand gives its default.
pub(crate) trait Loose<'de>: Default {
    /// From a whole number at or above zero.
    fn unsigned(_: u64) -> Self {
        Self::default()
    }

    /// From any other number.
    fn float(_: f64) -> Self {
        Self::default()
    }

    /// From a string.
    fn text(_: Cow<'de, str>) -> Self {
        Self::default()
    }

    /// From an array, which is read to its end.
    fn array<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        skip_rest(&mut seq).map(|_| Self::default())
    }

    /// From an object, which is read to its end.
    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// Reads a [`Loose`] type; for `deserialize_with`.
pub(crate) fn loose<'de, D: Deserializer<'de>, T: Loose<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(LooseVisitor(PhantomData))
}

/// A [`Loose`] type where serde wants a type: an array's element, the root.
pub(crate) struct Any<T>(pub(crate) T);

impl<'de, T: Loose<'de>> Deserialize<'de> for Any<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        loose(deserializer).map(Self)
    }
}

struct LooseVisitor<T>(PhantomData<T>);

impl<'de, T: Loose<'de>> Visitor<'de> for LooseVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        Ok(T::unsigned(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        Ok(u64::try_from(value).map_or_else(|_| T::float(float::from_i64(value)), T::unsigned))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
        Ok(T::float(value))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<T, E> {
        Ok(T::text(Cow::Borrowed(value)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<T, E> {
        Ok(T::text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::array(seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::object(map)
    }
}

/// An object of type `T`; anything else is none.
impl<'de, T: Deserialize<'de>> Loose<'de> for Option<T> {
    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}

/// Skips what is left of an array and counts it.
pub(crate) fn skip_rest<'de, A: SeqAccess<'de>>(seq: &mut A) -> Result<u64, A::Error> {
    let mut count = 0;
    while seq.next_element::<IgnoredAny>()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// A plain value.
#[derive(Default)]
enum Scalar<'a> {
    #[default]
    Other,
    Unsigned(u64),
    Float(f64),
    Text(Cow<'a, str>),
}

impl<'de> Loose<'de> for Scalar<'de> {
    fn unsigned(value: u64) -> Self {
        Self::Unsigned(value)
    }

    fn float(value: f64) -> Self {
        Self::Float(value)
    }

    fn text(value: Cow<'de, str>) -> Self {
        Self::Text(value)
    }
}

/// Text that is not empty.
pub(crate) fn text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'de, str>>, D::Error> {
    Ok(match loose(deserializer)? {
        Scalar::Text(text) if !text.is_empty() => Some(text),
        _ => None,
    })
}

/// Text that is not empty, or a number as text: codes and matched stops come as either.
pub(crate) fn label<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'de, str>>, D::Error> {
    Ok(match loose(deserializer)? {
        Scalar::Text(text) if !text.is_empty() => Some(text),
        Scalar::Unsigned(number) => Some(Cow::Owned(number.to_string())),
        Scalar::Float(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
    })
}

/// A count: a whole number at or above zero, also written as `3.0` or `"3"`.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match loose(deserializer)? {
        Scalar::Unsigned(number) => Some(number),
        Scalar::Float(number) if number >= 0.0 && number.fract() == 0.0 => {
            Some(float::round_to_u64(number))
        }
        Scalar::Text(text) => text.trim().parse().ok(),
        _ => None,
    })
}

/// A finite number.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = match loose(deserializer)? {
        Scalar::Unsigned(number) => Some(float::from_u64(number)),
        Scalar::Float(number) => Some(number),
        Scalar::Text(text) => text.trim().parse().ok(),
        Scalar::Other => None,
    };
    Ok(number.filter(|number| number.is_finite()))
}
