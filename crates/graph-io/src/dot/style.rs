//! What Graphviz attributes make of an edge: which ends have an arrow, and its numbers.

use crate::{FormatError, attribute};

/// What one bracket says, later attributes winning.
pub(super) type Attributes = Vec<Attribute>;

/// `key = value`, and where it stands.
pub(super) struct Attribute {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) line: usize,
}

/// How one end of an edge is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Plain,
    Arrow,
    Circle,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) tail: End,
    pub(super) head: End,
}

/// Which ends of an edge may have an arrow.
#[derive(Debug, Clone, Copy)]
enum Direction {
    None,
    Back,
    Forward,
    Both,
}

/// How edges are drawn, and their numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    direction: Option<Direction>,
    tail: Option<End>,
    head: Option<End>,
    pub(super) weight: Option<f64>,
    pub(super) probability: Option<f64>,
}

impl Style {
    /// This style with what `attributes` say instead.
    pub(super) fn with(mut self, attributes: &Attributes) -> Result<Self, FormatError> {
        for Attribute { key, value, line } in attributes {
            match key.as_str() {
                "dir" => self.direction = Direction::of(value, *line)?,
                "arrowtail" => self.tail = Some(End::of(value)),
                "arrowhead" => self.head = Some(End::of(value)),
                "weight" => self.weight = attribute::number("weight", value, *line)?,
                "probability" => self.probability = attribute::number("probability", value, *line)?,
                _ => {}
            }
        }
        Ok(self)
    }

    /// The ends of an edge that is written as `arrow`.
    pub(super) fn ends(self, arrow: Ends) -> Ends {
        let (tail, head) = (self.tail.unwrap_or(End::Arrow), self.head.unwrap_or(End::Arrow));
        match self.direction {
            Some(Direction::None) => Ends { tail: End::Plain, head: End::Plain },
            Some(Direction::Back) => Ends { tail, head: End::Plain },
            Some(Direction::Forward) => Ends { tail: End::Plain, head },
            Some(Direction::Both) => Ends { tail, head },
            None if (arrow.tail, arrow.head) == (End::Plain, End::Arrow) => Ends { tail: End::Plain, head },
            None => arrow,
        }
    }
}

impl Direction {
    fn of(value: &str, line: usize) -> Result<Option<Self>, FormatError> {
        match value {
            "" => Ok(None),
            "none" => Ok(Some(Self::None)),
            "back" => Ok(Some(Self::Back)),
            "forward" => Ok(Some(Self::Forward)),
            "both" => Ok(Some(Self::Both)),
            other => Err(attribute::wrong("dir", other, "forward, back, both or none", line)),
        }
    }
}

impl End {
    fn of(value: &str) -> Self {
        match value {
            "none" => Self::Plain,
            "odot" | "dot" => Self::Circle,
            _ => Self::Arrow,
        }
    }
}

impl Ends {
    /// The edge as Tetrad would draw it.
    pub(super) fn mark(self) -> String {
        let sign = |end, arrow| match end {
            End::Plain => '-',
            End::Arrow => arrow,
            End::Circle => 'o',
        };
        [sign(self.tail, '<'), '-', sign(self.head, '>')].iter().collect()
    }
}
