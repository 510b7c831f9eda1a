//! Queries, filters, ranking and what an answer holds.

use crate::site::{Site, ask, ask_with, paths, places};
use mainstay_index::{Filters, IndexError, Mode, Options, Query};

/// Builds `files`, asks, compares the places of hits in order.
fn check(query: &str, files: &[(&str, &str)], expected: &[&str]) {
    let site = files.iter().fold(Site::new(), |site, (path, text)| site.file(path, text));
    assert_eq!(places(&site.ask(query)), expected, "{query}");
}

const SHOP: &[(&str, &str)] = &[
    (
        "src/cart.rs",
        "/// Adds an item.\npub fn add_item(cart: &mut Cart) {\n    cart.push(1);\n}\n\npub fn remove_item(cart: &mut Cart) {\n    cart.pop();\n}\n",
    ),
    (
        "src/order.py",
        "class Order:\n    def place(self, cart):\n        \"\"\"Places the order.\"\"\"\n        return cart\n",
    ),
    ("README.md", "# Shop\n\nAdd an item to the cart, then place the order.\n"),
    ("tests/cart_test.rs", "#[test]\nfn adding_an_item_works() {\n    add_item(&mut cart);\n}\n"),
];

fn shop() -> Site {
    SHOP.iter().fold(Site::new(), |site, (path, text)| site.file(path, text))
}

fn sorted(query: &str) -> Vec<String> {
    let mut found = places(&shop().ask(query));
    found.sort();
    found
}

#[test]
fn definition_ranks_above_mention() {
    check("parse", &[("a.rs", "fn parse() {}"), ("b.rs", "// see parse")], &["a.rs:1", "b.rs:1"]);
    check(
        "Session",
        &[
            ("a.rs", "fn run(session: Session) { session.run(Session::new(), Session::open()) }"),
            ("z/session.rs", "pub struct Session { id: u32 }"),
        ],
        &["z/session.rs:1", "a.rs:1"],
    );
}

#[test]
fn tests_and_docs_come_after_code_unless_asked_for() {
    let site = shop();
    let answer = site.ask("add an item to the cart");
    assert_eq!(answer.hits[0].path, "src/cart.rs");
    assert_eq!(ask(&site.open(), "tests for adding an item").hits[0].path, "tests/cart_test.rs");
}

#[test]
fn a_name_in_any_spelling_is_found() {
    for query in
        ["add_item", "addItem", "AddItem", "add item", "add_item()", "Cart::add_item", "sym:add_item"]
    {
        assert_eq!(shop().ask(query).hits[0].name, "add_item", "{query}");
    }
}

#[test]
fn operators_mean_what_they_say() {
    assert_eq!(sorted("item AND order"), ["README.md:1"]);
    assert_eq!(sorted("place OR remove"), ["README.md:1", "src/cart.rs:6", "src/order.py:2"]);
    assert_eq!(sorted("cart -item"), ["src/order.py:2"]);
    assert_eq!(sorted("cart NOT (item OR order)"), Vec::<String>::new());
    assert_eq!(sorted("cart AND (pop OR push)"), ["src/cart.rs:1", "src/cart.rs:6"]);
    assert_eq!(sorted("-cart"), ["src/order.py:1"]);
}

#[test]
fn a_question_finds_what_holds_some_of_its_words() {
    let site = shop();
    let answer = site.ask("how is an item added to the basket");
    assert!(answer.total >= 2);
    assert_eq!(answer.hits[0].name, "add_item");
}

#[test]
fn two_words_that_never_meet_are_relaxed_and_the_answer_says_so() {
    let site = Site::new().file("a.rs", "fn alpha() {}").file("b.rs", "fn beta() {}");
    let answer = site.ask("alpha beta");
    assert!(answer.relaxed);
    assert_eq!((answer.total, answer.notes.len()), (2, 1));
    let strict = ask(&site.open(), "alpha AND beta");
    assert_eq!((strict.total, strict.relaxed), (0, false));
}

#[test]
fn literals_and_expressions_are_verified_on_the_bytes() {
    assert_eq!(sorted("\"cart.push(1)\""), ["src/cart.rs:1"]);
    assert_eq!(sorted("\"CART.push\""), ["src/cart.rs:1"]);
    assert_eq!(sorted("/cart\\.p(ush|op)\\(/"), ["src/cart.rs:1", "src/cart.rs:6"]);
    assert_eq!(sorted("/CART\\.pop/"), Vec::<String>::new());
    assert_eq!(sorted("/CART\\.pop/i"), ["src/cart.rs:6"]);
    assert_eq!(sorted("\"of\" -\"order\""), Vec::<String>::new());
    assert_eq!(sorted("\"->\""), Vec::<String>::new());
    assert_eq!(sorted("'&mut Cart' AND pop"), ["src/cart.rs:6"]);
    assert_eq!(sorted("/^class/"), ["src/order.py:1"]);
}

/// A chunk that is nothing but matches hides none of those after it.
#[test]
fn matches_are_counted_to_the_end_of_a_file() {
    let many = (0..400).map(|at| format!("    call(x1, x2, x3); // {at}\n")).collect::<String>();
    let text = format!(
        "fn first() {{\n{many}}}\n\nfn second() {{\n{many}    done(x4);\n}}\n\nfn third() {{\n    x5();\n}}\n"
    );
    let site = Site::new().file("a.rs", &text);
    let names = |query: &str| {
        let answer = site.ask(query);
        let mut names: Vec<String> = answer.hits.iter().map(|hit| hit.name.clone()).collect();
        names.sort();
        names.dedup();
        (names, answer.total)
    };
    for query in ["/x\\d/", "/x5|call/", "/x*/"] {
        let (names, total) = names(query);
        assert!(names.contains(&"third".to_owned()), "{query}: {names:?}");
        assert!(names.contains(&"second".to_owned()) && total >= 3, "{query}: {names:?} {total}");
    }
    assert_eq!(names("\"x5\"").0, ["third"]);
    assert_eq!(names("/x4/").0, ["second"]);
}

#[test]
fn every_filter_has_an_effect_alone_and_together() {
    let site = shop();
    site.build();
    let index = site.open();
    let with = |filters: Filters| {
        let mut found: Vec<String> =
            ask_with(&index, "cart OR order", &Options { filters, ..Options::default() })
                .hits
                .iter()
                .map(|hit| hit.path.clone())
                .collect();
        found.sort();
        found.dedup();
        found
    };
    let list = |value: &str| vec![value.to_owned()];
    let all = ["README.md", "src/cart.rs", "src/order.py", "tests/cart_test.rs"];
    assert_eq!(with(Filters::default()), all);
    assert_eq!(with(Filters { types: list("MethodDeclaration"), ..Filters::default() }), ["src/order.py"]);
    assert_eq!(with(Filters { langs: list("py"), ..Filters::default() }), ["src/order.py"]);
    assert_eq!(with(Filters { exts: list(".md"), ..Filters::default() }), ["README.md"]);
    assert_eq!(
        with(Filters { paths: list("CART"), ..Filters::default() }),
        ["src/cart.rs", "tests/cart_test.rs"]
    );
    assert_eq!(
        with(Filters { paths: list("CART"), case_file: true, ..Filters::default() }),
        Vec::<String>::new()
    );
    assert_eq!(with(Filters { paths: list("/^src/.*rs$/"), ..Filters::default() }), ["src/cart.rs"]);
    assert_eq!(with(Filters { paths: list("*.py"), ..Filters::default() }), ["src/order.py"]);
    assert_eq!(with(Filters { paths: list("src/*.rs"), ..Filters::default() }), ["src/cart.rs"]);
    assert_eq!(
        with(Filters { paths: vec!["order".into(), "README".into()], ..Filters::default() }),
        ["README.md", "src/order.py"]
    );
    assert_eq!(
        with(Filters { langs: list("rust"), types: list("class"), ..Filters::default() }),
        Vec::<String>::new()
    );
    assert_eq!(with(Filters::default()), all, "a filter leaves nothing behind");
    let unknown =
        Options { filters: Filters { langs: list("klingon"), ..Filters::default() }, ..Options::default() };
    assert!(matches!(
        index.search(&Query::parse("cart").unwrap(), &unknown),
        Err(IndexError::BadFilter { field: "lang", .. })
    ));
}

#[test]
fn case_of_tokens_counts_when_asked() {
    let site =
        Site::new().file("a.rs", "fn f() { let Token = 1; }").file("b.rs", "fn g() { let token = 1; }");
    site.build();
    let case = Options { filters: Filters { case_tokens: true, ..Filters::default() }, ..Options::default() };
    assert_eq!(paths(&ask_with(&site.open(), "Token", &case)), ["a.rs"]);
    assert_eq!(ask_with(&site.open(), "\"let token\"", &case).total, 1);
    assert_eq!(ask(&site.open(), "Token").total, 2);
}

#[test]
fn modes_separate_programs_from_documents() {
    let site = shop();
    site.build();
    let with = |mode| ask_with(&site.open(), "item", &Options { mode, ..Options::default() });
    assert!(paths(&with(Mode::Prose)).iter().all(|path| path.ends_with(".md")));
    assert!(paths(&with(Mode::Code)).iter().all(|path| path.ends_with(".rs")));
    assert_eq!(with(Mode::All).total, with(Mode::Prose).total + with(Mode::Code).total);
}

#[test]
fn a_hit_says_where_and_what_it_is() {
    let site = shop();
    let answer = site.ask("place order");
    let hit = &answer.hits[0];
    assert_eq!(
        (hit.path.as_str(), hit.lang, hit.kind.name(), hit.name.as_str(), hit.scope.as_str()),
        ("src/order.py", "python", "method", "place", "Order")
    );
    assert_eq!(hit.lines, (2, 4));
    assert_eq!(hit.signature, "def place(self, cart):");
    assert_eq!(hit.doc, "\"\"\"Places the order.\"\"\"");
    let snippet = hit.snippet.as_ref().unwrap();
    let shown: Vec<&str> =
        snippet.matches.iter().map(|range| &snippet.text[range.start as usize..range.end as usize]).collect();
    assert_eq!(shown, ["place", "Places", "order"]);
}

#[test]
fn an_id_survives_edits_elsewhere() {
    let site = shop();
    let id = |site: &Site| site.ask("remove_item").hits[0].id.clone();
    let before = id(&site);
    site.write("src/cart.rs", format!("// A new first line.\n{}", SHOP[0].1));
    assert_eq!(id(&site), before);
}

#[test]
fn a_cursor_walks_through_all_hits_and_fits_only_its_query() {
    let site = Site::new();
    for number in 0..25 {
        site.write(&format!("f{number:02}.rs"), format!("fn needle_{number}() {{}}"));
    }
    site.build();
    let index = site.open();
    let whole = ask_with(&index, "needle", &Options { limit: 100, ..Options::default() });
    let mut options = Options { limit: 7, ..Options::default() };
    let mut found = Vec::new();
    loop {
        let answer = ask_with(&index, "needle", &options);
        assert_eq!(answer.total, 25);
        found.extend(places(&answer));
        match answer.cursor {
            Some(cursor) => options.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(found, places(&whole));
    options.cursor = Some("7-0".to_owned());
    assert!(matches!(index.search(&Query::parse("needle").unwrap(), &options), Err(IndexError::BadCursor)));
}

#[test]
fn pages_of_many_hits_neither_repeat_nor_miss_any() {
    let site = Site::new();
    for file in 0..30 {
        let body: String =
            (0..30).map(|number| format!("fn needle_{file}_{number}() {{ work({number}); }}\n\n")).collect();
        site.write(&format!("f{file:02}.rs"), body);
    }
    site.build();
    let index = site.open();
    let mut options = Options { limit: 130, ..Options::default() };
    let mut found = Vec::new();
    let mut scores = Vec::new();
    loop {
        let answer = ask_with(&index, "needle", &options);
        found.extend(answer.hits.iter().map(|hit| hit.id.clone()));
        scores.extend(answer.hits.iter().map(|hit| hit.score));
        let Some(cursor) = answer.cursor else { break };
        options.cursor = Some(cursor);
    }
    assert!(scores.is_sorted_by(|left, right| left >= right));
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 900);
}

#[test]
fn explain_accounts_for_the_score() {
    let site = shop();
    site.build();
    let answer = ask_with(&site.open(), "add item cart", &Options { explain: true, ..Options::default() });
    for hit in &answer.hits {
        let (factors, terms): (Vec<_>, Vec<_>) =
            hit.explain.iter().partition(|part| part.what.starts_with('×'));
        let score = terms.iter().map(|part| part.value).sum::<f32>()
            * factors.iter().map(|part| part.value).product::<f32>();
        assert!((score - hit.score).abs() < 1e-3, "{score} {} {:?}", hit.score, hit.explain);
    }
}

#[test]
fn embedded_code_is_found_as_its_own_language() {
    let site = Site::new()
        .file("guide.md", "# Guide\n\nText.\n\n```python\ndef embedded_helper():\n    return 1\n```\n");
    let answer = site.ask("embedded_helper");
    assert_eq!((answer.hits[0].lang, answer.hits[0].kind.name()), ("python", "function"));
}

#[test]
fn odd_queries_have_answers() {
    let site = shop();
    site.build();
    let index = site.open();
    for query in [
        "AND",
        "()",
        "-",
        "!!",
        "NOT",
        "\"",
        "=>",
        "日本語",
        "a",
        "the",
        "path:src",
        "/./",
        "cart AND NOT",
        "((((",
        "é",
    ] {
        index.search(&Query::parse(query).unwrap(), &Options::default()).unwrap();
    }
}

#[test]
fn the_snippet_of_a_name_is_its_definition_with_its_indentation() {
    let text = "impl Watch {\n    /// Ends.\n    fn watch_parent(&self) {\n        start(\"parent-watch\");\n        parent(watch);\n    }\n}\n";
    let site = Site::new().file("watch.rs", text);
    site.build();
    let answer = ask_with(&site.open(), "watch_parent", &Options { context: 0, ..Options::default() });
    let snippet = answer.hits[0].snippet.as_ref().unwrap();
    assert_eq!((snippet.first_line, snippet.text.as_str()), (3, "    fn watch_parent(&self) {"));
}
