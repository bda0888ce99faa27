//! The little of HTTP/1.1 that a load generator needs: finding the end of an answer. Pure functions over bytes; only
//! answers with `Content-Length` are understood, because every server measured here sends it.

/// The head of an answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// Where the body begins.
    pub body_at: usize,
    pub body_len: usize,
    /// The server is going to close the connection.
    pub closes: bool,
}

/// Parses the head of an answer; `Ok(None)` if it is not complete yet.
pub fn parse_head(bytes: &[u8]) -> Result<Option<Head>, String> {
    let Some(end) = find(bytes, b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = &bytes[..end];
    let status = head
        .get(9..12)
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| digits.parse().ok())
        .filter(|_| head.starts_with(b"HTTP/1."))
        .ok_or("the answer is not HTTP/1")?;
    let body_len = match header(head, b"content-length") {
        Some(value) => parse_len(value).ok_or("Content-Length is not a number")?,
        None if status == 204 => 0,
        None => return Err(format!("an answer {status} without Content-Length")),
    };
    let closes = header(head, b"connection").is_some_and(|value| value.eq_ignore_ascii_case(b"close"));
    Ok(Some(Head { status, body_at: end + 4, body_len, closes }))
}

fn header<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    head.split(|&b| b == b'\n').skip(1).find_map(|line| {
        let (field, value) = line.split_at_checked(name.len())?;
        let value = value.strip_prefix(b":")?;
        field.eq_ignore_ascii_case(name).then(|| value.trim_ascii())
    })
}

fn parse_len(value: &[u8]) -> Option<usize> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_whole_head_and_waits_for_half_of_one() {
        let answer = b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\ncontent-length: 11\r\n\r\n{\"ok\":true}";
        let head = parse_head(answer).expect("valid").expect("complete");
        assert_eq!((head.status, head.body_len, head.closes), (201, 11, false));
        assert_eq!(&answer[head.body_at..], b"{\"ok\":true}");
        assert_eq!(parse_head(&answer[..30]), Ok(None));
    }

    #[test]
    fn sees_a_close_and_refuses_what_it_cannot_measure() {
        let head = parse_head(b"HTTP/1.1 503 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        assert!(head.expect("valid").expect("complete").closes);
        assert!(parse_head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").is_err());
        assert!(parse_head(b"SSH-2.0-OpenSSH\r\n\r\n").is_err());
    }
}
