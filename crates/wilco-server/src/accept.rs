//! In which form somebody wants an answer: the header `Accept` against what there is.

use http::{HeaderMap, StatusCode, header};

use crate::problem::Failure;

pub(crate) const JSON: &str = "application/json";
pub(crate) const EVENTS: &str = "text/event-stream";

/// The best of what is offered; without a wish the first. 406 when nothing fits.
pub(crate) fn accepted(headers: &HeaderMap, offered: &[&'static str]) -> Result<&'static str, Failure> {
    let given = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let given = given.collect::<Vec<_>>().join(",");
    let ranges: Vec<Range<'_>> =
        given.split(',').filter(|range| !range.trim().is_empty()).map(Range::read).collect();
    let Some(first) = offered.first().copied() else { return Ok(JSON) };
    if ranges.is_empty() {
        return Ok(first);
    }
    // Of equals the first offered wins, and `max_by_key` gives the last.
    let rated = offered.iter().rev().filter_map(|kind| Some((rate(&ranges, kind)?, *kind)));
    rated.max_by_key(|(rate, _)| *rate).map(|(_, kind)| kind).ok_or_else(|| {
        let detail = format!("{given:?} is not there; it comes as {}", offered.join(" or "));
        Failure::new(StatusCode::NOT_ACCEPTABLE, "not-acceptable", detail)
    })
}

/// One part of the header: a kind, perhaps with stars, and how much it is wanted, in thousandths.
struct Range<'a> {
    kind: &'a str,
    weight: u32,
}

impl<'a> Range<'a> {
    fn read(text: &'a str) -> Range<'a> {
        let mut parts = text.split(';').map(str::trim);
        let kind = parts.next().unwrap_or("");
        let quality = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        let weight = quality.and_then(|text| text.parse::<f32>().ok()).unwrap_or(1.0);
        Range { kind, weight: (weight.clamp(0.0, 1.0) * 1000.0) as u32 }
    }

    /// How exactly it names a kind; none when it means others.
    fn exactness(&self, kind: &str) -> Option<u32> {
        let of_family = || {
            let family = kind.split('/').next().unwrap_or("");
            self.kind.strip_suffix("/*").is_some_and(|wanted| wanted.eq_ignore_ascii_case(family))
        };
        match self.kind {
            "*/*" => Some(0),
            wanted if wanted.eq_ignore_ascii_case(kind) => Some(2),
            _ if of_family() => Some(1),
            _ => None,
        }
    }
}

/// How much a kind is wanted: the most exact range decides. None when it is not.
fn rate(ranges: &[Range<'_>], kind: &str) -> Option<(u32, u32)> {
    let fitting = ranges.iter().filter_map(|range| Some((range.exactness(kind)?, range.weight)));
    let (exactness, weight) = fitting.max()?;
    (weight > 0).then_some((weight, exactness))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_5_the_header_accept_chooses_between_pages_and_a_stream() {
        let chosen = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, text.parse().unwrap());
            accepted(&headers, &[JSON, EVENTS]).map_err(|failure| failure.0.status)
        };
        assert_eq!(accepted(&HeaderMap::new(), &[JSON, EVENTS]).unwrap(), JSON);
        assert_eq!(chosen("*/*"), Ok(JSON));
        assert_eq!(chosen("text/event-stream"), Ok(EVENTS));
        assert_eq!(chosen("Text/Event-Stream; charset=utf-8"), Ok(EVENTS));
        assert_eq!(chosen("*/*, text/event-stream"), Ok(EVENTS));
        assert_eq!(chosen("text/event-stream;q=0.5, application/*"), Ok(JSON));
        assert_eq!(chosen("text/html,application/xhtml+xml,*/*;q=0.8"), Ok(JSON));
        assert_eq!(chosen("application/json;q=0, text/*"), Ok(EVENTS));
        assert_eq!(chosen("application/xml"), Err(406));
        assert_eq!(chosen("*/*;q=0"), Err(406));
    }
}
