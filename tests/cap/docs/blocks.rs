//! The blocks of a page that are more than words.

/// A block, by what is done with it.
#[derive(Debug, PartialEq, Eq)]
pub enum Block {
    /// A file of the example's project.
    File { path: String, content: String },
    /// Functions for the commands that follow.
    Shell(String),
    /// A manifest that nothing is run with.
    Manifest(String),
    /// A command that must succeed, whatever it prints.
    Command(String),
    /// Commands, each with what it prints.
    Console(Vec<(String, String)>),
}

/// The blocks of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut file = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(path) = line.strip_prefix("<!-- file: ").and_then(|it| it.strip_suffix(" -->"))
        {
            file = Some(path.to_owned());
        } else if let Some(kind) = line.strip_prefix("```") {
            let content: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let content = content.join("\n") + "\n";
            blocks.extend(block(kind, file.take(), content));
        } else if let Some(command) = line.strip_prefix("    cap ") {
            // A synopsis in brackets, or words that stand for others, are no command.
            if !command.contains(['[', '|', '<']) || command.contains(" || ") {
                blocks.push(Block::Command(format!("cap {command}")));
            }
        }
    }
    blocks
}

fn block(kind: &str, file: Option<String>, content: String) -> Option<Block> {
    match (kind, file) {
        (_, Some(path)) => Some(Block::File { path, content }),
        ("sh", None) => Some(Block::Shell(content)),
        ("yaml", None) => content.contains("capabilities:").then_some(Block::Manifest(content)),
        ("console", None) => {
            let mut commands: Vec<(String, String)> = Vec::new();
            for line in content.lines() {
                if let Some(command) = line.strip_prefix("$ ") {
                    commands.push((command.to_owned(), String::new()));
                } else if let Some((_, printed)) = commands.last_mut() {
                    *printed = [printed, line, "\n"].concat();
                }
            }
            Some(Block::Console(commands))
        }
        _ => None,
    }
}

#[test]
fn a_page_is_its_blocks() {
    let page = "Words.\n\n<!-- file: a/b -->\n```yaml\nx: 1\n```\n\n    cap list\n\n    cap run ID [-- ARGS]\n\n\
                ```console\n$ echo a\na\n$ true\n```\n```sh\nf() { :; }\n```\n```yaml\ncapabilities: {}\n```\n";
    let text = str::to_owned;
    assert_eq!(
        blocks(page),
        [
            Block::File { path: text("a/b"), content: text("x: 1\n") },
            Block::Command(text("cap list")),
            Block::Console(vec![(text("echo a"), text("a\n")), (text("true"), text(""))]),
            Block::Shell(text("f() { :; }\n")),
            Block::Manifest(text("capabilities: {}\n")),
        ]
    );
}
