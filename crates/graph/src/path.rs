//! Shortest directed paths and cycles, to show a user the cycle instead of saying that there is one.

use crate::NodeSet;

/// The variables on a shortest path `from … to` over at least one edge. Costs `O(edges)`.
///
/// `children[v]` are the direct effects of `v`; `from = to` asks for a shortest cycle through it.
pub(crate) fn shortest(children: &[NodeSet], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut came_from = vec![None; children.len()];
    let mut layer = vec![from];
    while !layer.is_empty() {
        let mut next = Vec::new();
        for node in layer {
            for child in children[node].iter() {
                if child == to {
                    return Some(trace(&came_from, from, node, to));
                }
                if came_from[child].is_none() && child != from {
                    came_from[child] = Some(node);
                    next.push(child);
                }
            }
        }
        layer = next;
    }
    None
}

fn trace(came_from: &[Option<usize>], from: usize, last: usize, to: usize) -> Vec<usize> {
    let mut path = vec![to, last];
    let mut node = last;
    while node != from {
        node = came_from[node].expect("every node in a layer was reached from one before it");
        path.push(node);
    }
    path.reverse();
    path
}

/// The variables of a shortest cycle, the first one repeated at the end. Costs `O(edges)` if there is none, else that
/// for every variable that can be on one.
pub(crate) fn shortest_cycle(children: &[NodeSet]) -> Option<Vec<usize>> {
    core(children).into_iter().filter_map(|node| shortest(children, node, node)).min_by_key(Vec::len)
}

/// What is left after taking away, again and again, the variables without effects: nothing if there is no cycle.
fn core(children: &[NodeSet]) -> Vec<usize> {
    let mut parents = vec![Vec::new(); children.len()];
    let mut effects: Vec<usize> = children.iter().map(NodeSet::len).collect();
    for (node, set) in children.iter().enumerate() {
        set.iter().for_each(|child| parents[child].push(node));
    }
    let mut free: Vec<usize> = (0..children.len()).filter(|&node| effects[node] == 0).collect();
    while let Some(node) = free.pop() {
        for &parent in &parents[node] {
            effects[parent] -= 1;
            if effects[parent] == 0 {
                free.push(parent);
            }
        }
    }
    (0..children.len()).filter(|&node| effects[node] > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children(nodes: usize, edges: &[(usize, usize)]) -> Vec<NodeSet> {
        let mut children = vec![NodeSet::empty(nodes); nodes];
        for &(from, to) in edges {
            children[from].insert(to);
        }
        children
    }

    #[test]
    fn the_short_way_round_is_found() {
        let graph = children(6, &[(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 1), (3, 5)]);
        assert_eq!(shortest(&graph, 0, 5), Some(vec![0, 1, 2, 3, 5]));
        assert_eq!(shortest(&graph, 5, 0), None);
        assert_eq!(shortest(&graph, 0, 0), Some(vec![0, 1, 2, 3, 0]));
        assert_eq!(shortest_cycle(&graph), Some(vec![1, 4, 1]));
        assert_eq!(shortest_cycle(&children(3, &[(0, 1), (0, 2), (1, 2)])), None);
    }
}
