//! Fewer points for the same picture.

/// Of the points of each column, one unit of the viewBox wide, the first, the lowest, the highest and the last: so each
/// peak is still there, and lines between columns go where they went. The points are in order of their columns.
pub fn thin<P: Copy>(points: &[P], column: impl Fn(P) -> i64, value: impl Fn(P) -> f64) -> Vec<P> {
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| column(*a) == column(*b)) {
        let (mut low, mut high) = (0, 0);
        for (i, point) in column.iter().enumerate() {
            if value(*point) < value(column[low]) {
                low = i;
            }
            if value(*point) > value(column[high]) {
                high = i;
            }
        }
        let mut keep = [0, low, high, column.len() - 1];
        keep.sort_unstable();
        kept.extend(
            keep.iter().enumerate().filter(|(i, at)| *i == 0 || keep[i - 1] != **at).map(|(_, at)| column[*at]),
        );
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_among_many_points_stays() {
        let points: Vec<(f64, f64)> =
            (0..100_000).map(|i| (f64::from(i), if i == 54_321 { 9.0 } else { 1.0 })).collect();
        let thinned = thin(&points, |(x, _)| (x / 200.0) as i64, |(_, y)| y);
        assert!(thinned.len() <= 500 * 4);
        assert!(thinned.contains(&(54_321.0, 9.0)));
        assert_eq!((thinned[0], thinned[thinned.len() - 1]), (points[0], points[99_999]));
        assert!(thinned.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn few_points_all_stay() {
        let points = [(0.0, 1.0), (5.0, 2.0), (5.2, 0.0), (9.0, 1.0)];
        assert_eq!(thin(&points, |(x, _)| x as i64, |(_, y)| y), points);
        assert!(thin(&[], |(x, _): (f64, f64)| x as i64, |(_, y)| y).is_empty());
    }
}
