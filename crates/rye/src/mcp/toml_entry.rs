//! Our table in a TOML file, every other byte of which stays as it is.

use toml_edit::{Document, Item, Table, TableLike, TomlError, Value};

use super::entry_edit::{EntryEdit, NAME, Splice, newline, spliced, split_mark};

/// Where the client has its servers.
const SERVERS: &str = "mcp_servers";

/// The table that starts this server.
pub(super) struct TomlEntry {
    members: Vec<(&'static str, Value)>,
}

impl TomlEntry {
    pub(super) fn new(program: &str, args: &[&str]) -> Self {
        Self { members: vec![("command", program.into()), ("args", args.iter().copied().collect())] }
    }

    /// The entry as a table of its own.
    pub(super) fn text(&self) -> String {
        let lines = self.members.iter().map(|(name, value)| format!("\n{}", assignment(name, value)));
        format!("[{SERVERS}.{NAME}]{}", lines.collect::<String>())
    }

    /// Puts the entry into a file.
    pub(super) fn edit(&self, present: &str) -> Result<EntryEdit, String> {
        self.edit_once(present)?.checked(|text| self.edit_once(text))
    }

    fn edit_once(&self, present: &str) -> Result<EntryEdit, String> {
        let (mark, text) = split_mark(present);
        let file = Document::parse(text).map_err(|error| not_toml(text, &error))?;
        let Some(servers) = file.get(SERVERS) else {
            return Ok(EntryEdit::Added(self.appended(text)).behind(mark));
        };
        let tables = servers.as_table_like().ok_or_else(|| no_table(SERVERS, servers))?;
        let Some(known) = tables.get(NAME) else {
            let added = match servers {
                Item::Table(table) if !table.is_dotted() => self.appended(text),
                Item::Table(table) => {
                    let line = assignment(&format!("{SERVERS}.{NAME}"), &self.inline());
                    spliced(text, below(text, last_end(table), &[line]))
                }
                _ => spliced(text, inside(tables, servers, &[assignment(NAME, &self.inline())])?),
            };
            return Ok(EntryEdit::Added(added).behind(mark));
        };
        let entry = known.as_table_like().ok_or_else(|| no_table(&format!("{SERVERS}.{NAME}"), known))?;
        if entry.contains_key("url") {
            return Err(format!("its `{NAME}` is reached at a `url`, and would have a `command` as well"));
        }
        let changed = self.put_right(text, servers, known, entry)?;
        Ok(changed.map_or(EntryEdit::Already, |text| EntryEdit::Changed(text).behind(mark)))
    }

    /// The text in which an entry that is there is right, if it is not.
    fn put_right(
        &self,
        text: &str,
        servers: &Item,
        known: &Item,
        entry: &dyn TableLike,
    ) -> Result<Option<String>, String> {
        let (mut changes, mut missing) = (Vec::new(), Vec::new());
        for (name, wanted) in &self.members {
            match entry.get(name) {
                None => missing.push((*name, wanted)),
                Some(item) if item.as_value().is_some_and(|value| is_same(value, wanted)) => {}
                Some(item) => {
                    let range = item.as_value().and_then(Value::span).ok_or_else(|| no_value(name))?;
                    changes.push(Splice { range, text: wanted.to_string() });
                }
            }
        }
        if missing.is_empty() {
            return Ok((!changes.is_empty()).then(|| spliced(text, changes)));
        }
        // A table that has tables and nothing else may be opened anywhere.
        if matches!(known, Item::Table(table) if table.is_implicit() && !table.is_dotted()) {
            return Ok(Some(self.appended(text)));
        }
        let prefix = match (entry.is_dotted(), servers.as_table_like().is_some_and(TableLike::is_dotted)) {
            (false, _) => String::new(),
            (true, false) => format!("{NAME}."),
            (true, true) => format!("{SERVERS}.{NAME}."),
        };
        let parts: Vec<_> =
            missing.iter().map(|(name, value)| assignment(&format!("{prefix}{name}"), value)).collect();
        changes.extend(match known {
            Item::Table(table) => below(text, last_end(table), &parts),
            _ => inside(entry, known, &parts)?,
        });
        Ok(Some(spliced(text, changes)))
    }

    /// The text with our table behind it.
    fn appended(&self, text: &str) -> String {
        let end = newline(text);
        let table = self.text().replace('\n', end) + end;
        match text.trim_end_matches(['\r', '\n']) {
            "" => table,
            _ if text.ends_with('\n') => format!("{text}{end}{table}"),
            _ => format!("{text}{end}{end}{table}"),
        }
    }

    fn inline(&self) -> Value {
        self.members.iter().map(|(name, value)| (*name, value.clone())).collect()
    }
}

fn assignment(name: &str, value: &Value) -> String {
    format!("{name} = {value}")
}

/// Lines below the one that has this place in it.
fn below(text: &str, place: usize, lines: &[String]) -> Vec<Splice> {
    let end = newline(text);
    let line_end = text[place..].find('\n').map_or(text.len(), |found| place + found);
    let line_end = line_end - usize::from(text[..line_end].ends_with('\r'));
    vec![Splice::at(line_end, format!("{end}{}", lines.join(end)))]
}

/// Parts of a table that is written between braces.
fn inside(table: &dyn TableLike, item: &Item, parts: &[String]) -> Result<Vec<Splice>, String> {
    let parts = parts.join(", ");
    let last =
        table.get_values().into_iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
    if let Some(last) = last {
        return Ok(vec![Splice::at(last, format!(", {parts}"))]);
    }
    let span = item.span().ok_or("it has a table without a place")?;
    Ok(vec![Splice { range: span.start + 1..span.end - 1, text: format!(" {parts} ") }])
}

/// Where the last value of a table ends, or its head if it has none.
fn last_end(table: &Table) -> usize {
    let values = table.get_values().into_iter().filter_map(|(_, value)| value.span());
    values.chain(table.span()).map(|span| span.end).max().unwrap_or_default()
}

fn is_same(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Array(value), Value::Array(wanted)) => {
            value.len() == wanted.len()
                && value.iter().zip(wanted).all(|(value, wanted)| is_same(value, wanted))
        }
        _ => value.as_str().is_some_and(|value| wanted.as_str() == Some(value)),
    }
}

fn no_table(name: &str, item: &Item) -> String {
    format!("its `{name}` is not a table but {}", with_article(item.type_name()))
}

fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

fn no_value(name: &str) -> String {
    format!("its `{SERVERS}.{NAME}.{name}` is a table")
}

/// What is wrong and where, without the picture of it.
fn not_toml(text: &str, error: &TomlError) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let what: Vec<_> = error.message().lines().collect();
    format!("it is not TOML ({} at line {line})", what.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(present: &str) -> Result<EntryEdit, String> {
        TomlEntry::new("rye", &["mcp", "serve"]).edit(present)
    }

    #[test]
    fn a_table_is_added_behind_everything() {
        let check = |present: &str, between: &str| {
            let table = "[mcp_servers.rye]\ncommand = \"rye\"\nargs = [\"mcp\", \"serve\"]\n";
            let expect = format!("{present}{between}{}", table.replace('\n', newline(present)));
            assert_eq!(edit(present), Ok(EntryEdit::Added(expect)), "{present:?}");
        };
        check("", "");
        check("# mine\nmodel = \"x\"\n", "\n");
        check("model = \"x\" # no line end", "\n\n");
        check("a = 1\r\n[b]\r\nc = '''\r\nd\n'''\r\n", "\r\n");
        check("\u{feff}a = 1\n", "\n");
        check("[mcp_servers]\nother = { command = \"x\" }\n[z]\n# end\n", "\n");
        check("[mcp_servers.other]\ncommand = \"x\"\n", "\n");
        check("a = '''\n[mcp_servers.rye]\n'''\n", "\n");
    }

    #[test]
    fn a_table_is_added_where_no_other_form_is_possible() {
        let check = |present: &str, expect: &str| {
            assert_eq!(edit(present), Ok(EntryEdit::Added(expect.to_owned())));
        };
        let inline = r#"rye = { command = "rye", args = ["mcp", "serve"] }"#;
        check(
            "mcp_servers = { other = { command = \"x\" } } # c\nz = 1\n",
            &format!("mcp_servers = {{ other = {{ command = \"x\" }}, {inline} }} # c\nz = 1\n"),
        );
        check("mcp_servers = {}\n", &format!("mcp_servers = {{ {inline} }}\n"));
        check(
            "mcp_servers = {\n  a = {}, # c\n}\n",
            &format!("mcp_servers = {{\n  a = {{}}, {inline}, # c\n}}\n"),
        );
        check(
            "mcp_servers.other.command = 'x' # c\r\nb = 1\r\n",
            &format!("mcp_servers.other.command = 'x' # c\r\nmcp_servers.{inline}\r\nb = 1\r\n"),
        );
    }

    #[test]
    fn an_entry_that_is_there_keeps_what_is_not_ours() {
        let check = |present: &str, expect: &str| {
            assert_eq!(edit(present), Ok(EntryEdit::Changed(expect.to_owned())));
        };
        check(
            "[mcp_servers.\"rye\"] # mine\ncommand = \"x\" # keep\n[mcp_servers.rye.env]\nA = 'b'\n",
            "[mcp_servers.\"rye\"] # mine\ncommand = \"rye\" # keep\nargs = [\"mcp\", \"serve\"]\n[mcp_servers.rye.env]\nA = 'b'\n",
        );
        check(
            "[ mcp_servers . rye ] # c\r\n[z]",
            "[ mcp_servers . rye ] # c\r\ncommand = \"rye\"\r\nargs = [\"mcp\", \"serve\"]\r\n[z]",
        );
        check(
            "[mcp_servers]\nrye = { command = 'x', env = { A = 'b' } }\n",
            "[mcp_servers]\nrye = { command = \"rye\", env = { A = 'b' }, args = [\"mcp\", \"serve\"] }\n",
        );
        check(
            "[mcp_servers]\nrye.args = 5\n",
            "[mcp_servers]\nrye.args = [\"mcp\", \"serve\"]\nrye.command = \"rye\"\n",
        );
        check(
            "mcp_servers.rye.command = \"x\"\nb = 1\n",
            "mcp_servers.rye.command = \"rye\"\nmcp_servers.rye.args = [\"mcp\", \"serve\"]\nb = 1\n",
        );
        check(
            "mcp_servers = { rye.command = 'x' }",
            "mcp_servers = { rye.command = \"rye\", rye.args = [\"mcp\", \"serve\"] }",
        );
        check(
            "[mcp_servers.rye.env]\nA = 'b'\n",
            "[mcp_servers.rye.env]\nA = 'b'\n\n[mcp_servers.rye]\ncommand = \"rye\"\nargs = [\"mcp\", \"serve\"]\n",
        );
    }

    #[test]
    fn what_is_right_stays() {
        let present =
            "[mcp_servers.rye] # c\nenv = {}\nargs = [\n 'mcp', # c\n 'serve' ]\ncommand = '''rye'''\n";
        assert_eq!(edit(present), Ok(EntryEdit::Already));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let check = |present: &str, expect: &str| assert_eq!(edit(present), Err(expect.to_owned()));
        check("mcp_servers = 5", "its `mcp_servers` is not a table but an integer");
        check("[[mcp_servers]]", "its `mcp_servers` is not a table but an array of tables");
        check("[mcp_servers]\nrye = 'x'", "its `mcp_servers.rye` is not a table but a string");
        check("[mcp_servers.rye.command]", "its `mcp_servers.rye.command` is a table");
        check(
            "[mcp_servers.rye]\nurl = 'x'",
            "its `rye` is reached at a `url`, and would have a `command` as well",
        );
        check("a = 1\nb", "it is not TOML (key with no value, expected `=` at line 2)");
    }
}
