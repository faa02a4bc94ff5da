//! Invented names of people and places, put together from syllables.

use crate::Generator;

const HEADS: [&str; 40] = [
    "Al", "Bal", "Bren", "Cal", "Cor", "Dar", "Dol", "Dra", "El", "Fen", "Gal", "Gor", "Had",
    "Hes", "Il", "Jor", "Kel", "Kor", "Lan", "Lor", "Mar", "Mor", "Nev", "Nor", "Or", "Os", "Pel",
    "Quil", "Ras", "Ros", "Sel", "Sto", "Tar", "Tol", "Ul", "Var", "Vel", "Wen", "Yar", "Zel",
];

const HEARTS: [&str; 24] = [
    "a", "e", "i", "o", "u", "an", "ar", "da", "den", "el", "en", "ga", "il", "in", "la", "le",
    "lo", "mi", "no", "or", "ra", "ri", "ta", "vi",
];

const TAILS: [&str; 36] = [
    "bek", "bin", "brand", "dan", "dor", "dric", "dun", "fell", "gan", "gard", "kin", "lan",
    "leth", "lin", "lock", "mar", "mel", "mir", "mond", "nar", "nost", "nis", "rant", "rell",
    "rim", "rod", "sen", "sk", "tash", "tov", "van", "ven", "vik", "wen", "zar", "zin",
];

const PLACE_TAILS: [&str; 20] = [
    "bridge", "burgh", "dale", "fjord", "ford", "gate", "ham", "haven", "holm", "hurst", "mere",
    "minster", "moor", "mouth", "sted", "stow", "thorpe", "wall", "wick", "worth",
];

/// A name of two or three syllables, one of 35,000.
pub(crate) fn person(dice: &mut Generator) -> String {
    let heart = if dice.chance(45) {
        dice.pick(&HEARTS)
    } else {
        ""
    };
    format!("{}{heart}{}", dice.pick(&HEADS), dice.pick(&TAILS))
}

/// A name of a place, such as `Tolmere`.
pub(crate) fn place(dice: &mut Generator) -> String {
    let heart = if dice.chance(30) {
        dice.pick(&HEARTS)
    } else {
        ""
    };
    format!("{}{heart}{}", dice.pick(&HEADS), dice.pick(&PLACE_TAILS))
}

/// A name of four syllables, one of 829,440: long enough to begin a document that must differ from
/// every other within its first words.
pub(crate) fn rare(dice: &mut Generator) -> String {
    let (head, first) = (dice.pick(&HEADS), dice.pick(&HEARTS));
    let (second, tail) = (dice.pick(&HEARTS), dice.pick(&TAILS));
    format!("{head}{first}{second}{tail}")
}
