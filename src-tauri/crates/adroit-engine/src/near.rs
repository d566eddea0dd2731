//! Names that are near to one that does not exist.

/// How many names are worth telling.
const MOST: usize = 3;

/// The names nearest to `wanted`, nearest first. Empty where nothing is near: a wrong
/// guess would send the model astray.
pub(crate) fn near_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    // A model may write anything as a name; the comparison is quadratic in its length.
    let wanted: Vec<char> = wanted
        .chars()
        .take(100)
        .flat_map(char::to_lowercase)
        .collect();
    let mut found: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let candidate: Vec<char> = name
                .chars()
                .take(100)
                .flat_map(char::to_lowercase)
                .collect();
            let distance = distance(&wanted, &candidate);
            let tolerated = (wanted.len().max(candidate.len()) / 3).max(1);
            let contained =
                wanted.len() >= 3 && candidate.len() >= 3 && contains_either(&wanted, &candidate);
            (distance <= tolerated || contained).then_some((distance, name))
        })
        .collect();
    found.sort();
    found.truncate(MOST);
    found.into_iter().map(|(_, name)| name).collect()
}

fn contains_either(one: &[char], other: &[char]) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    long.windows(short.len()).any(|window| window == short)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut best = (last[j] + usize::from(a != b))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::near_names;

    const NAMES: [&str; 6] = ["Read", "Write", "Edit", "Glob", "Grep", "Bash"];

    fn near(wanted: &str) -> Vec<&'static str> {
        near_names(wanted, NAMES.into_iter())
    }

    #[test]
    fn finds_slips() {
        assert_eq!(near("read"), ["Read"]);
        assert_eq!(near("Raed"), ["Read"]);
        assert_eq!(near("ReadFile"), ["Read"]);
        assert_eq!(near("bash_tool"), ["Bash"]);
    }

    #[test]
    fn guesses_nothing_for_what_is_far() {
        assert!(near("LaunchRocket").is_empty());
        assert!(near("").is_empty());
        assert!(near(&"x".repeat(1_000_000)).is_empty());
    }
}
