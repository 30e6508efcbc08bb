//! Cells of tables, in Markdown and CSV.

/// Rows of cells as a table in Markdown.
pub(super) fn markdown_table(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    let rule: Vec<String> = header.iter().map(|_| "---".to_owned()).collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{rows}", line(&header), line(&rule))
}

/// Rows of cells as CSV.
pub(super) fn csv_table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    table.write_record(header).expect("memory takes all");
    for row in rows {
        table.write_record(row).expect("memory takes all");
    }
    let bytes = table.into_inner().expect("memory takes all");
    String::from_utf8(bytes).expect("cells are text")
}
