//! A position in a text, with its line and column.

use crate::FormatError;

/// Reads a text from left to right.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, column: 1 }
    }

    pub(crate) fn line(&self) -> usize {
        self.line
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.advance(next.len_utf8());
        Some(next)
    }

    /// Goes on by `bytes`, which end at a character's end.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        for c in passed.chars() {
            (self.line, self.column) =
                if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.rest = rest;
        passed
    }

    /// Goes past `token` if it comes next.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let here = self.rest.starts_with(token);
        if here {
            self.advance(token.len());
        }
        here
    }

    pub(crate) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        self.advance(end)
    }

    /// Everything before `end`, which is passed too.
    pub(crate) fn take_until(&mut self, end: &str) -> Result<&'a str, FormatError> {
        match self.rest.find(end) {
            Some(at) => {
                let passed = self.advance(at);
                self.advance(end.len());
                Ok(passed)
            }
            None => Err(self.expected(&format!("'{end}' before the end of the file"))),
        }
    }

    pub(crate) fn skip_blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Skips blanks, `//` and `/* */` comments.
    pub(crate) fn skip_comments(&mut self) -> Result<(), FormatError> {
        loop {
            self.skip_blanks();
            if self.eat("//") {
                self.take_while(|c| c != '\n');
            } else if self.eat("/*") {
                self.take_until("*/")?;
            } else {
                return Ok(());
            }
        }
    }

    /// Goes past `token` or says that it was expected.
    pub(crate) fn expect(&mut self, token: &str) -> Result<(), FormatError> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(&format!("'{token}'"))) }
    }

    /// The refusal of what comes next.
    pub(crate) fn expected(&self, expected: &str) -> FormatError {
        let found = match self.peek() {
            Some(c) => format!("{c:?}"),
            None => "the end of the file".to_owned(),
        };
        FormatError::Syntax { line: self.line, column: self.column, expected: expected.to_owned(), found }
    }
}

/// Whether `text` begins with `word`, in capitals or not, and goes on with something else than a letter.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let head = text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    head && !text[word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Whether `text` starts with one of `words` and has an `opening` bracket before any `other` one.
pub(crate) fn opens(text: &str, words: &[&str], opening: char, other: char) -> bool {
    let bracket = text.find([opening, other]).and_then(|at| text[at..].chars().next());
    words.iter().any(|word| has_word(text, word)) && bracket == Some(opening)
}

/// A text in quotes, of which the first is passed: `\"` is a quote and `\\` a backslash, other backslashes stay.
pub(crate) fn escaped(cursor: &mut Cursor<'_>) -> Result<String, FormatError> {
    let mut text = String::new();
    loop {
        text.push_str(cursor.take_while(|c| c != '"' && c != '\\'));
        if cursor.eat("\\\"") {
            text.push('"');
        } else if cursor.eat("\\\\") {
            text.push('\\');
        } else if cursor.eat("\"") {
            return Ok(text);
        } else if let Some(backslash) = cursor.bump() {
            text.push(backslash);
        } else {
            return Err(cursor.expected("'\"' at the end of the text"));
        }
    }
}

/// A text in quotes that [`escaped`] reads again.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters() {
        let mut cursor = Cursor::new("é1\n🦀 /* a\nb */ // c\n x");
        assert_eq!(cursor.take_while(|c| c != ' '), "é1\n🦀");
        cursor.skip_comments().unwrap();
        let error = cursor.expect("y").unwrap_err();
        assert_eq!(error.to_string(), "line 4, column 2: expected 'y', found 'x'");
        cursor.bump();
        assert_eq!(cursor.bump(), None);
    }

    #[test]
    fn quotes_keep_every_text() {
        for text in ["", "a\"b", "\\", "\\\"", "\\n", "a\\\\b\n", "🦀\\"] {
            let written = quoted(text);
            let mut cursor = Cursor::new(&written);
            cursor.bump();
            assert_eq!(escaped(&mut cursor).unwrap(), text);
            assert_eq!(cursor.rest(), "");
        }
    }
}
