//! The order of two lists that have a common origin.

/// All elements of both lists. The order is that of `mine` if only `mine` was reordered, otherwise that of `theirs`. An
/// element that only the other list has comes after the element that precedes it there.
pub(super) fn order<K: PartialEq + Clone>(base: &[K], theirs: &[K], mine: &[K]) -> Vec<K> {
    let is_moved = |list: &[K]| {
        let left = base.iter().filter(|key| list.contains(key));
        !left.eq(list.iter().filter(|key| base.contains(key)))
    };
    let (first, second) = if is_moved(mine) && !is_moved(theirs) { (mine, theirs) } else { (theirs, mine) };
    let mut all = first.to_vec();
    for (n, key) in second.iter().enumerate() {
        if !all.contains(key) {
            let before = second[..n].iter().rev().find_map(|key| all.iter().position(|other| other == key));
            all.insert(before.map_or(0, |place| place + 1), key.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(base: &str, theirs: &str, mine: &str) -> String {
        let keys = |text: &str| text.chars().collect::<Vec<_>>();
        order(&keys(base), &keys(theirs), &keys(mine)).into_iter().collect()
    }

    #[test]
    fn what_each_added_and_moved_is_where_they_put_it() {
        assert_eq!(joined("abc", "abc", "axybc"), "axybc");
        assert_eq!(joined("abc", "abzc", "xabc"), "xabzc");
        assert_eq!(joined("abc", "abcz", "bac"), "bacz");
        assert_eq!(joined("abc", "cab", "abcx"), "cxab");
        // An element that one person removed is still in the list: another function decides whether it stays.
        assert_eq!(joined("abc", "ac", "abc"), "abc");
    }
}
