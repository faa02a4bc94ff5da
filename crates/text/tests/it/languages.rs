//! Which language a visitor gets.

use tokmark_text::{Direction, Language};

#[test]
fn a_path_names_an_offered_language_in_one_way() {
    let check = |segment: &str, expect: Option<Language>| {
        assert_eq!(Language::of_path(segment), expect, "{segment}");
    };
    check("en", Some(Language::English));
    check("ja", Some(Language::Japanese));
    check("ko", Some(Language::Korean));
    check("zh", Some(Language::Chinese));
    for other in ["de", "pt-BR", "EN", "zh-CN", "", "runs", "english"] {
        check(other, None);
    }
}

#[test]
fn a_tag_asks_for_a_language() {
    let check = |tag: &str, expect: Option<Language>| {
        assert_eq!(Language::of_tag(tag), expect, "{tag}");
    };
    check("EN-gb", Some(Language::English));
    check("ja_JP", Some(Language::Japanese));
    check(" ko ", Some(Language::Korean));
    for simplified in ["zh", "zh-CN", "zh-Hans", "zh-SG", "zh-Hans-HK"] {
        check(simplified, Some(Language::Chinese));
    }
    for traditional in ["zh-Hant", "zh-TW", "zh-hk", "zh-Hant-CN"] {
        check(traditional, None);
    }
    for other in ["de", "pt-BR", "jav", "e", "", "-", "*"] {
        check(other, None);
    }
}

#[test]
fn a_header_is_weighed() {
    let check = |header: &str, expect: Language| {
        assert_eq!(Language::negotiate(header), expect, "{header}");
    };
    check("", Language::English);
    check("ja", Language::Japanese);
    check("de-DE,de;q=0.9,ko;q=0.5,en;q=0.3", Language::Korean);
    check("en;q=0.5, zh-CN;q=0.8, ja;q=0.7", Language::Chinese);
    check("ja;q=0.5,ko;q=0.5", Language::Japanese);
    check("zh-TW,zh;q=0.4,ja;q=0.6", Language::Japanese);
    check("fr, *;q=0.1", Language::English);
    check("en;q=0, *", Language::Japanese);
    check("ja;q=0", Language::English);
    check("*;q=0", Language::English);
    check("ja;q=2, ko;q=x, zh;q", Language::English);
    check("ja;Q=0.4 , ko ; q = 0.6", Language::Korean);
    check(",,;;q=1,\u{1f600}", Language::English);
}

#[test]
fn every_language_has_its_names() {
    let named: Vec<[&str; 3]> = Language::ALL
        .map(|one| [one.as_str(), one.hreflang(), one.own_name()])
        .to_vec();
    assert_eq!(named[3], ["zh", "zh-Hans", "简体中文"]);
    assert_eq!(named[7], ["pt-BR", "pt-BR", "Português (Brasil)"]);
    for language in Language::ALL {
        assert_eq!(language.direction(), Direction::LeftToRight);
        let own = Language::of_path(language.as_str());
        assert_eq!(own, language.is_offered().then_some(language));
    }
    assert_eq!(Direction::RightToLeft.as_str(), "rtl");
}
