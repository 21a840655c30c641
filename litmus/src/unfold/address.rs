//! Addresses of locations as numbers.

/// The address of a location as a value.
pub type LocationAddress = i64;

/// The address of the first location; far from the numbers that tests compute with.
pub(super) const FIRST_ADDRESS: LocationAddress = 0x4d61_0000_0000_0000;

/// The distance of two locations: an offset that a test may add leads to no other location by
/// accident. Elements of an array are as far apart as they are wide (`Shared::widths`).
pub(super) const STRIDE: LocationAddress = 1 << 20;

/// Does the number stand for the address of a location, or one near it?
pub(crate) fn is_address(n: i64) -> bool {
    (FIRST_ADDRESS..FIRST_ADDRESS + STRIDE * 256).contains(&n)
}
