//! Medians, percentiles and spreads.

use serde::Serialize;

/// Values in order; there is at least one.
#[derive(Debug, Clone)]
pub(crate) struct Distribution {
    sorted: Vec<f64>,
}

/// What rounds brought: the middle one, and between which they lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Distribution {
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Distribution> {
        values.sort_by(f64::total_cmp);
        (!values.is_empty()).then_some(Distribution { sorted: values })
    }

    /// The smallest value that at least so many percent do not exceed.
    pub(crate) fn percentile(&self, percent: f64) -> f64 {
        let rank = (percent / 100.0 * self.sorted.len() as f64).ceil() as usize;
        self.sorted[rank.clamp(1, self.sorted.len()) - 1]
    }

    pub(crate) fn median(&self) -> f64 {
        self.percentile(50.0)
    }

    pub(crate) fn spread(&self) -> Spread {
        Spread { median: self.median(), least: self.sorted[0], most: self.sorted[self.sorted.len() - 1] }
    }
}

/// The spread of what rounds brought; all zero when there was none.
pub(crate) fn spread(values: impl IntoIterator<Item = f64>) -> Spread {
    let all = Distribution::of(values.into_iter().collect());
    all.map_or(Spread { median: 0.0, least: 0.0, most: 0.0 }, |all| all.spread())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let all = Distribution::of((1..=200).rev().map(f64::from).collect()).unwrap();
        assert_eq!((all.percentile(50.0), all.percentile(99.0)), (100.0, 198.0));
        assert_eq!((all.percentile(0.0), all.percentile(100.0)), (1.0, 200.0));
        assert_eq!(spread([3.0, 1.0, 2.0]), Spread { median: 2.0, least: 1.0, most: 3.0 });
        assert!(Distribution::of(Vec::new()).is_none());
    }
}
