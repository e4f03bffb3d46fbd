//! The tables' format: entries begin with `=== name`, then `key: value` lines; a value that begins
//! on the next line runs, indented by `| `, to the last such line.

#[derive(Debug, Default)]
pub struct Entry {
    pub name: String,
    fields: Vec<(String, String)>,
}

/// The entries of a table; lines before the first and those that begin with `#` are comments.
pub fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            entries.push(Entry { name: name.to_owned(), fields: Vec::new() });
        } else if let Some(entry) = entries.last_mut() {
            entry.read(line);
        }
    }
    assert!(!entries.is_empty(), "an empty table");
    entries
}

impl Entry {
    fn read(&mut self, line: &str) {
        if let Some(text) = line.strip_prefix('|') {
            let (_, value) = self.fields.last_mut().expect("a value without a key");
            if !value.is_empty() {
                value.push('\n');
            }
            value.push_str(text.strip_prefix(' ').unwrap_or(text));
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
            self.fields.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    pub fn one(&self, key: &str) -> &str {
        self.get(key).unwrap_or_default()
    }

    pub fn all(&self, key: &str) -> Vec<String> {
        let fields = self.fields.iter().filter(|(name, _)| name == key);
        fields.map(|(_, value)| value.clone()).collect()
    }
}
