//! Mutations that leave JSON whole: without them most inputs end at the first bracket.

use serde_json::Value;

/// Values that arithmetic stumbles over.
const ODD: [&str; 17] = [
    "0", "1", "-1", "2", "1000000000", "18446744073709551615", "9223372036854775808",
    "4294967295", "1e308", "-1e308", "5e-324", "0.5", "null", "\"\"", "[]", "{}", "true",
];

/// Random numbers of one mutation: xorshift64, of Marsaglia.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Changes one place of one line, if that line is JSON; else what the fuzzer does by itself.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut dice = Dice(u64::from(seed) << 1 | 1);
    for _ in 0..4 {
        dice.below(1);
    }
    if dice.below(4) > 0
        && let Some(changed) = changed(&data[..size], &mut dice)
        && changed.len() <= max_size
    {
        data[..changed.len()].copy_from_slice(&changed);
        return changed.len();
    }
    libfuzzer_sys::fuzzer_mutate(data, size, max_size)
}

fn changed(data: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(data).ok()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let chosen = dice.below(lines.len());
    let mut value: Value = serde_json::from_str(lines.get(chosen)?).ok()?;
    let places = count(&value);
    match dice.below(8) {
        // A line again, perhaps changed by a later mutation.
        0 => lines.push(lines[chosen].clone()),
        kind => {
            let mut place = dice.below(places);
            change(&mut value, &mut place, kind, dice);
            lines[chosen] = value.to_string();
        }
    }
    Some(lines.join("\n").into_bytes())
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value that is `place` steps ahead.
fn change(value: &mut Value, place: &mut usize, kind: usize, dice: &mut Dice) -> bool {
    if *place == 0 {
        replace(value, kind, dice);
        return true;
    }
    *place -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| change(item, place, kind, dice)),
        Value::Object(members) => members.values_mut().any(|item| change(item, place, kind, dice)),
        _ => false,
    }
}

fn replace(value: &mut Value, kind: usize, dice: &mut Dice) {
    let near = dice.below(2_000) as i64 - 1_000;
    match value {
        Value::Array(items) if kind < 5 && !items.is_empty() => {
            let chosen = dice.below(items.len());
            if kind == 1 {
                items.remove(chosen);
            } else {
                let again = items[chosen].clone();
                let times = 1 + dice.below(if kind == 2 { 40 } else { 1 });
                items.extend(std::iter::repeat_n(again, times));
            }
        }
        Value::Object(members) if kind < 5 && !members.is_empty() => {
            let chosen = dice.below(members.len());
            let name = members.keys().nth(chosen).cloned().unwrap_or_default();
            members.shift_remove(&name);
        }
        Value::Number(number) if kind < 4 => {
            if let Some(whole) = number.as_i64() {
                *value = match kind {
                    1 => whole.wrapping_add(near).into(),
                    2 => whole.wrapping_mul(near).into(),
                    _ => (whole / 2).into(),
                };
            }
        }
        other => *other = serde_json::from_str(ODD[dice.below(ODD.len())]).unwrap_or_default(),
    }
}
