//! Least assumptions: as many equations as unknowns.

/// Solves a system of linear equations by elimination with pivots. None where they do not determine the unknowns.
pub fn solve<const N: usize>(mut rows: [[f64; N]; N], mut right: [f64; N]) -> Option<[f64; N]> {
    for column in 0..N {
        let pivot = (column..N).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[pivot][column].abs() < 1e-12 {
            return None;
        }
        rows.swap(column, pivot);
        right.swap(column, pivot);
        for row in 0..N {
            if row != column {
                let factor = rows[row][column] / rows[column][column];
                let from = rows[column];
                for (cell, from) in rows[row].iter_mut().zip(from) {
                    *cell -= factor * from;
                }
                right[row] -= factor * right[column];
            }
        }
    }
    let mut solved = [0.0; N];
    for (at, value) in solved.iter_mut().enumerate() {
        *value = right[at] / rows[at][at];
    }
    Some(solved)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn equations_are_solved() {
        let solved = solve([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, -1.0]], [7.0, 3.0, 0.0]).unwrap();
        for (found, expected) in solved.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-9, "{solved:?}");
        }
        assert_eq!(solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 2.0]), None, "two times the same equation");
    }
}
