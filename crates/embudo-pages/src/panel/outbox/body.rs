//! Formats a body for reading: JSON with line breaks, in the order in which it is sent.

/// The maximum length of a displayed body.
const MAX: usize = 20_000;

/// Formats JSON from one line to several lines. Text that is not JSON stays readable.
pub(super) fn laid_out(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 2);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if quoted {
            out.push(c);
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => {
                quoted = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                match chars.peek() {
                    Some('}' | ']') => out.extend(chars.next()),
                    _ => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => out.push(c),
        }
        if out.len() > MAX {
            break;
        }
    }
    super::words::cut(&out, MAX).0
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth.min(20)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_its_order_and_its_texts() {
        let laid = laid_out(r#"{"b":[],"a":{"x":"una, \"dos\": {tres}","y":[1,null]}}"#);
        let expected = "{\n  \"b\": [],\n  \"a\": {\n    \"x\": \"una, \\\"dos\\\": {tres}\",\n    \"y\": [\n      1,\n      null\n    ]\n  }\n}";
        assert_eq!(laid, expected);
        assert!(laid_out(&format!("\"{}\"", "x".repeat(3 * MAX))).chars().count() <= MAX + 1);
    }
}
