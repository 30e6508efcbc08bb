//! The built-in data sets against sums and edges computed elsewhere.

use gflowcausal_data::{Interventions, builtin};

#[test]
fn another_name_is_no_data_set() {
    assert_eq!(builtin("asia"), None);
}

#[test]
fn sachs_has_the_published_columns_and_values() {
    let table = builtin("sachs").unwrap().table;
    // Python: math.fsum(float(row[j]) for row in csv.reader(open("cyto_full_data.csv")) …) over rows 1 to 853.
    let sums = [
        ("Raf", 50595.25),
        ("Mek", 25615.02),
        ("Plcg", 16629.1),
        ("PIP2", 69565.5),
        ("PIP3", 25981.09),
        ("Erk", 18922.51),
        ("Akt", 35810.36),
        ("PKA", 483671.45),
        ("PKC", 12811.18),
        ("P38", 29022.77),
        ("Jnk", 32805.01),
    ];
    assert_eq!((table.rows(), table.columns().len()), (853, 11));
    for (column, (name, sum)) in table.columns().iter().zip(sums) {
        assert_eq!(column.name, name);
        let total: f64 = column.as_continuous().unwrap().iter().sum();
        assert!((total - sum).abs() < 1e-6, "{name}: {total}");
    }
    let first: Vec<f64> = table.columns().iter().map(|column| column.as_continuous().unwrap()[0]).collect();
    assert_eq!(first, [26.4, 13.2, 8.82, 18.3, 58.8, 6.61, 17.0, 414.0, 17.0, 44.9, 40.0]);
}

#[test]
fn sachs_has_the_consensus_network() {
    let sachs = builtin("sachs").unwrap();
    let name = |node: usize| sachs.table.columns()[node].name.as_str();
    let edges: Vec<String> =
        sachs.truth.edges().map(|edge| format!("{}→{}", name(edge.from), name(edge.to))).collect();
    assert_eq!(
        edges.join(" "),
        "Raf→Mek Mek→Erk Plcg→PIP2 Plcg→PIP3 PIP3→PIP2 Erk→Akt \
         PKA→Raf PKA→Mek PKA→Erk PKA→Akt PKA→P38 PKA→Jnk PKC→Raf PKC→Mek PKC→PKA PKC→P38 PKC→Jnk"
    );
}

#[test]
fn the_credit_names_the_authors_and_the_licence() {
    let credit = builtin("sachs").unwrap().credit;
    assert!(["Sachs", "2005", "MIT", "Kalainathan"].iter().all(|word| credit.contains(word)));
}

#[test]
fn the_experiments_follow_the_rows_without_intervention() {
    let all = builtin("sachs-interventions").unwrap();
    let observed = builtin("sachs").unwrap();
    assert_eq!((all.table.rows(), all.table.columns().len(), all.truth), (5846, 12, observed.truth));
    let (rest, set) = Interventions::take(&all.table, "intervention").unwrap();
    assert_eq!((set.observational_rows().len(), set.rows_set()), (853 + 902, 911 + 723 + 810 + 799 + 848));
    let column = |name: &str| rest.columns()[rest.position(name).unwrap()].as_continuous().unwrap().to_vec();
    for mine in observed.table.columns() {
        assert_eq!(column(&mine.name)[..853], *mine.as_continuous().unwrap());
    }
    // numpy.log(pandas.read_csv("cyto_full_data.csv")[column][a:b]).mean() of the rows of one condition; its reagent shows.
    let mean_log = |name: &str, rows: std::ops::Range<usize>| {
        let count = rows.len() as f64;
        column(name)[rows].iter().map(|value| value.ln()).sum::<f64>() / count
    };
    for (name, rows, expected) in [
        ("PIP2", 3389..4199, 0.90), // psitectorigenin lowers it,
        ("PIP2", 0..853, 3.90),
        ("Mek", 4199..4998, 5.81), // U0126 blocks what Mek does and not its phosphorylation,
        ("Erk", 4199..4998, 1.17),
        ("PKC", 2666..3389, 4.61), // G06976 likewise.
        ("Akt", 4998..5846, 3.22),
    ] {
        let found = mean_log(name, rows);
        assert!((found - expected).abs() < 0.006, "{name}: {found} is not {expected}");
    }
}
