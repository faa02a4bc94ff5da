//! Rental prices.

use crate::CATALOG;

#[test]
fn prices_have_hardware_source_and_date() {
    assert_eq!(CATALOG.rentals().len(), 27);
    for rental in CATALOG.rentals() {
        assert!(
            CATALOG.hardware_by_id(&rental.hardware).is_some(),
            "{}",
            rental.hardware
        );
        assert!(rental.date.starts_with("202"), "{}", rental.hardware);
    }
    let card = CATALOG.rental("nvidia-rtx-3090").unwrap();
    assert_eq!(
        (card.low_usd, card.typical_usd, card.high_usd),
        (Some(0.17), 0.22, Some(0.39))
    );
    assert_eq!(CATALOG.rental("apple-m1"), None);
}
