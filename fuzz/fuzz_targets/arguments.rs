//! Random inputs for `wilco_fuzz::outer::arguments`, which says what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wilco_fuzz::outer::arguments(bytes));
