//! The order of the boxes: every node stands before those it leads to, unless they lead back to it.

/// The numbers of the nodes in their order. `ways` are the targets of each node.
pub(super) fn order(ways: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; ways.len()];
    let mut order = Vec::with_capacity(ways.len());
    let mut from_start = after(ways, start, &mut seen);
    from_start.reverse();
    order.append(&mut from_start);
    for node in 0..ways.len() {
        if !seen[node] {
            let mut rest = after(ways, node, &mut seen);
            rest.reverse();
            order.append(&mut rest);
        }
    }
    order
}

/// The nodes that can be come to and were not seen, each after those that it leads to. It does not recurse, because a
/// graph may be a chain of thousands.
fn after(ways: &[Vec<usize>], start: usize, seen: &mut [bool]) -> Vec<usize> {
    let mut done = Vec::new();
    let mut open = vec![(start, ways[start].len())];
    seen[start] = true;
    while let Some((node, left)) = open.last_mut() {
        // From the last way to the first one, so that the first one ends up nearest.
        match left.checked_sub(1) {
            None => {
                done.push(*node);
                open.pop();
            }
            Some(next) => {
                *left = next;
                let target = ways[*node][next];
                if !seen[target] {
                    seen[target] = true;
                    open.push((target, ways[target].len()));
                }
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_before_their_targets() {
        let check = |ways: &[&[usize]], expect: &[usize]| {
            let ways: Vec<Vec<usize>> = ways.iter().map(|way| way.to_vec()).collect();
            assert_eq!(order(&ways, 0), expect);
        };
        check(&[&[1], &[2], &[]], &[0, 1, 2]);
        check(&[&[2], &[], &[1]], &[0, 2, 1]);
        check(&[&[1, 2], &[3], &[3], &[]], &[0, 1, 2, 3]);
        check(&[&[1], &[0, 2], &[]], &[0, 1, 2]);
        check(&[&[], &[0]], &[0, 1]);
        let long: Vec<Vec<usize>> =
            (1..=50_000).map(|next| if next < 50_000 { vec![next] } else { vec![] }).collect();
        assert_eq!(order(&long, 0).len(), 50_000);
    }
}
