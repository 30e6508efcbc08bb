//! Reads FlatBuffers, the encoding of Arrow's metadata, with every offset checked.

/// Metadata that do not keep within their own bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OutOfBounds;

type Result<T> = std::result::Result<T, OutOfBounds>;

/// A table: fields by number, each of which may be absent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Elements of one size, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vector<'a> {
    bytes: &'a [u8],
    start: usize,
    length: usize,
}

impl<'a> Table<'a> {
    /// The outermost table.
    pub(super) fn root(bytes: &'a [u8]) -> Result<Self> {
        Self::behind(bytes, 0)
    }

    /// The table that the offset at `at` leads to.
    fn behind(bytes: &'a [u8], at: usize) -> Result<Self> {
        Ok(Self { bytes, at: follow(bytes, at)? })
    }

    /// Where a field lies, if it is there.
    fn field(&self, number: usize) -> Result<Option<usize>> {
        let back = i64::from(i32::from_le_bytes(array(self.bytes, self.at)?));
        let list = usize::try_from(self.at as i64 - back).map_err(|_| OutOfBounds)?;
        let length = usize::from(u16::from_le_bytes(array(self.bytes, list)?));
        let slot = 4 + 2 * number;
        if slot + 2 > length {
            return Ok(None);
        }
        let offset = usize::from(u16::from_le_bytes(array(self.bytes, list + slot)?));
        Ok((offset > 0).then_some(self.at + offset))
    }

    fn number<const N: usize>(&self, number: usize) -> Result<Option<[u8; N]>> {
        self.field(number)?.map(|at| array(self.bytes, at)).transpose()
    }

    pub(super) fn u8(&self, number: usize) -> Result<u8> {
        Ok(self.number(number)?.map_or(0, u8::from_le_bytes))
    }

    pub(super) fn i16(&self, number: usize) -> Result<i16> {
        Ok(self.number(number)?.map_or(0, i16::from_le_bytes))
    }

    pub(super) fn i32(&self, number: usize) -> Result<i32> {
        Ok(self.number(number)?.map_or(0, i32::from_le_bytes))
    }

    pub(super) fn i64(&self, number: usize) -> Result<i64> {
        Ok(self.number(number)?.map_or(0, i64::from_le_bytes))
    }

    pub(super) fn table(&self, number: usize) -> Result<Option<Self>> {
        self.field(number)?.map(|at| Self::behind(self.bytes, at)).transpose()
    }

    /// A list of elements of `size` bytes; empty if absent.
    pub(super) fn vector(&self, number: usize, size: usize) -> Result<Vector<'a>> {
        let Some(at) = self.field(number)? else {
            return Ok(Vector { bytes: self.bytes, start: 0, length: 0 });
        };
        let list = follow(self.bytes, at)?;
        let length = u32::from_le_bytes(array(self.bytes, list)?) as usize;
        let end = length.checked_mul(size).and_then(|bytes| bytes.checked_add(list + 4));
        end.filter(|&end| end <= self.bytes.len()).ok_or(OutOfBounds)?;
        Ok(Vector { bytes: self.bytes, start: list + 4, length })
    }

    pub(super) fn string(&self, number: usize) -> Result<&'a [u8]> {
        let text = self.vector(number, 1)?;
        Ok(&self.bytes[text.start..text.start + text.length])
    }
}

impl<'a> Vector<'a> {
    /// The tables of a list of tables.
    pub(super) fn tables(self) -> impl Iterator<Item = Result<Table<'a>>> {
        (0..self.length).map(move |k| Table::behind(self.bytes, self.start + 4 * k))
    }

    /// The elements of a list of `N` long numbers each.
    fn longs<const N: usize>(self) -> impl Iterator<Item = [i64; N]> + 'a {
        let long = move |k: usize| array(self.bytes, self.start + 8 * k).map_or(0, i64::from_le_bytes);
        (0..self.length).map(move |k| std::array::from_fn(|part| long(N * k + part)))
    }

    pub(super) fn singles(self) -> impl Iterator<Item = i64> + 'a {
        self.longs().map(|[number]| number)
    }

    pub(super) fn pairs(self) -> impl Iterator<Item = [i64; 2]> + 'a {
        self.longs()
    }

    pub(super) fn triples(self) -> impl Iterator<Item = [i64; 3]> + 'a {
        self.longs()
    }
}

fn follow(bytes: &[u8], at: usize) -> Result<usize> {
    at.checked_add(u32::from_le_bytes(array(bytes, at)?) as usize).ok_or(OutOfBounds)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N]> {
    let end = at.checked_add(N).ok_or(OutOfBounds)?;
    bytes.get(at..end).and_then(|part| part.try_into().ok()).ok_or(OutOfBounds)
}
