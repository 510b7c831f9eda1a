//! What names mean across files: imports, calls and types, in the languages that have them.

use crate::site::{Site, ask_with, places};
use mainstay_index::relations::{Certainty, Reference, Texts};
use mainstay_index::{Fact, FactFilter, Filters, Index, Options, Want};

fn site(files: &[(&str, &str)]) -> Site {
    let site = Site::new();
    files.iter().for_each(|(path, text)| site.write(path, text));
    site.build();
    site
}

/// `path:line` of what a definition refers to for certain.
fn meant(index: &Index, from: &str) -> Vec<String> {
    let relations = index.relations().unwrap();
    let ids = relations.find(from);
    assert_eq!(ids.len(), 1, "{from}");
    let links = relations.references_from(ids[0]).into_iter();
    let mut out: Vec<String> = links
        .filter(|link| link.certainty == Certainty::Resolved)
        .map(|link| relations.symbol(link.other))
        .map(|symbol| format!("{}:{}", symbol.path, symbol.lines.0))
        .collect();
    out.sort();
    out
}

fn check(files: &[(&str, &str)], from: &str, expected: &[&str]) {
    let site = site(files);
    assert_eq!(meant(&site.open(), from), expected, "{from} in {}", files[0].0);
}

#[test]
fn calls_lead_to_the_file_then_to_imports_and_never_to_a_namesake() {
    check(
        &[
            (
                "shop/cart.py",
                "from shop.pay import charge\nfrom . import mail\n\n\ndef total(rows):\n    return sum(rows)\n\n\ndef order(rows):\n    charge(total(rows))\n    mail.send(rows)\n    open(rows)\n",
            ),
            ("shop/pay.py", "def charge(amount):\n    return amount\n"),
            ("shop/mail.py", "def send(text):\n    return text\n"),
            (
                "other/pay.py",
                "def charge(amount):\n    return 0\n\n\ndef send(text):\n    return 0\n\n\ndef open(x):\n    return x\n",
            ),
            ("shop/__init__.py", ""),
        ],
        "order",
        &["shop/cart.py:5", "shop/mail.py:1", "shop/pay.py:1"],
    );
    check(
        &[
            (
                "src/cart.ts",
                "import { charge as pay } from './pay';\nimport * as mail from './mail';\n\nexport class Cart {\n  total(): number {\n    return 1;\n  }\n\n  order() {\n    pay(this.total());\n    mail.send('x');\n  }\n}\n",
            ),
            ("src/pay.ts", "export function charge(amount: number) {\n  return amount;\n}\n"),
            ("src/mail/index.ts", "export function send(text: string) {\n  return text;\n}\n"),
            (
                "lib/pay.ts",
                "export function charge(amount: number) {\n  return 0;\n}\nexport function send() {}\n",
            ),
        ],
        "Cart.order",
        &["src/cart.ts:5", "src/mail/index.ts:1", "src/pay.ts:1"],
    );
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            (
                "src/main.rs",
                "mod pay;\nmod store;\nuse crate::pay::charge;\n\nfn main() {\n    let store = store::Store::open();\n    charge(1);\n    store.close();\n}\n",
            ),
            ("src/pay.rs", "pub fn charge(amount: u32) -> u32 {\n    amount\n}\n"),
            (
                "src/store.rs",
                "pub struct Store;\n\nimpl Store {\n    pub fn open() -> Store {\n        Store\n    }\n\n    pub fn close(self) {}\n}\n",
            ),
            (
                "src/file.rs",
                "pub struct File;\n\nimpl File {\n    pub fn close(self) {}\n}\n\npub fn charge() {}\n",
            ),
        ],
        "main",
        &["src/pay.rs:1", "src/store.rs:4"],
    );
}

#[test]
fn what_is_given_and_what_only_is_a_type_is_not_called_by_its_namesake() {
    let http = "class Request:\n    def receive(self):\n        return 1\n\n    def app(self):\n        return 2\n\n    def read(self):\n        return 3\n";
    let web = "from web.http import Request\n\n\nclass Guard:\n    def __init__(self, app):\n        self.app = app\n\n    def run(self, scope, receive):\n        request: Request = Request(scope)\n        self.app(scope)\n        receive()\n        request.read()\n";
    let files = [("web/__init__.py", ""), ("web/http.py", http), ("web/guard.py", web)];
    check(&files, "Guard.run", &["web/http.py:1", "web/http.py:8"]);
    let files = [
        (
            "src/a.ts",
            "import {fail} from \"./errors\";\nexport function run() {\n  fail();\n  throw new Error(\"no\");\n}\n",
        ),
        ("src/errors.ts", "type Error = {code: string};\n\nexport function fail() {\n  return 1;\n}\n"),
    ];
    let index = site(&files).open();
    let relations = index.relations().unwrap();
    let links = relations.references_from(relations.find("run")[0]).into_iter();
    let called: Vec<String> = links
        .filter(|link| link.reference == Reference::Call)
        .map(|link| relations.symbol(link.other).name)
        .collect();
    assert_eq!(called, ["fail"]);
}

#[test]
fn packages_folders_and_headers_are_followed() {
    check(
        &[
            ("go.mod", "module example.com/shop\n"),
            (
                "main.go",
                "package main\n\nimport \"example.com/shop/pay\"\n\nfunc main() {\n\tcard := helper()\n\tpay.Charge(card)\n}\n",
            ),
            ("help.go", "package main\n\nfunc helper() int {\n\treturn 1\n}\n"),
            ("pay/charge.go", "package pay\n\nfunc Charge(amount int) int {\n\treturn amount\n}\n"),
            (
                "old/charge.go",
                "package old\n\nfunc Charge(amount int) int {\n\treturn 0\n}\n\nfunc helper() int {\n\treturn 0\n}\n",
            ),
        ],
        "main",
        &["help.go:3", "pay/charge.go:3"],
    );
    check(
        &[
            (
                "src/com/shop/Cart.java",
                "package com.shop;\n\nimport com.pay.Card;\n\nclass Cart extends Base {\n    int order(Card card) {\n        check();\n        return card.charge(1);\n    }\n}\n",
            ),
            (
                "src/com/shop/Base.java",
                "package com.shop;\n\nclass Base {\n    void check() {\n        return;\n    }\n}\n",
            ),
            (
                "src/com/pay/Card.java",
                "package com.pay;\n\npublic class Card {\n    public int charge(int amount) {\n        return amount;\n    }\n}\n",
            ),
            (
                "src/com/old/Coin.java",
                "package com.old;\n\npublic class Coin {\n    public int charge(int amount) {\n        return 0;\n    }\n}\n",
            ),
        ],
        "Cart.order",
        &["src/com/pay/Card.java:3", "src/com/pay/Card.java:4", "src/com/shop/Base.java:4"],
    );
    check(
        &[
            ("src/main.c", "#include \"pay.h\"\n\nint main(void) {\n    return charge(1);\n}\n"),
            ("src/pay.h", "int charge(int amount);\n"),
            ("src/pay.c", "#include \"pay.h\"\n\nint charge(int amount) {\n    return amount;\n}\n"),
        ],
        "main",
        &["src/pay.c:3"],
    );
    check(
        &[
            (
                "lib/cart.rb",
                "require_relative \"pay\"\n\nclass Cart\n  def order(rows)\n    Pay.charge(total(rows))\n  end\n\n  def total(rows)\n    rows.sum\n  end\nend\n",
            ),
            ("lib/pay.rb", "class Pay\n  def self.charge(amount)\n    amount\n  end\nend\n"),
            ("lib/old.rb", "class Old\n  def self.charge(amount)\n    0\n  end\nend\n"),
        ],
        "Cart.order",
        &["lib/cart.rb:8", "lib/pay.rb:1", "lib/pay.rb:2"],
    );
    check(
        &[
            (
                "app/Cart.php",
                "<?php\nnamespace App;\n\nuse App\\Pay\\Card;\n\nclass Cart {\n    public function order(Card $card) {\n        $this->check();\n        return $card->charge(1);\n    }\n\n    private function check() {\n        return 1;\n    }\n}\n",
            ),
            (
                "app/Pay/Card.php",
                "<?php\nnamespace App\\Pay;\n\nclass Card {\n    public function charge($amount) {\n        return $amount;\n    }\n}\n",
            ),
            (
                "app/Old.php",
                "<?php\nclass Old {\n    public function charge($amount) {\n        return 0;\n    }\n}\n",
            ),
        ],
        "Cart.order",
        &["app/Cart.php:12", "app/Pay/Card.php:4", "app/Pay/Card.php:5"],
    );
}

fn only(want: Want) -> Options {
    let filter = FactFilter { name: "test", want };
    Options {
        facts: true,
        filters: Filters { facts: vec![filter], ..Filters::default() },
        ..Options::default()
    }
}

const SHOP: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "from shop.pay import charge\nfrom shop import pay\n\n\ndef order(rows):\n    receipt = charge(rows)\n    return receipt\n\n\ndef drop(rows):\n    done = 1\n    charge(rows)\n    return done\n",
    ),
    (
        "shop/pay.py",
        "class Receipt:\n    pass\n\n\ndef charge(amount) -> Receipt:\n    order = amount\n    return order\n",
    ),
    (
        "shop/other.py",
        "import json\n\n\ndef order(rows):\n    receipt = json.loads(rows)\n    return charge(receipt)\n",
    ),
    ("shop/__init__.py", ""),
];

#[test]
fn filters_know_files_and_definitions_by_their_place() {
    let site = site(SHOP);
    let index = site.open();
    let found = |want: Want| places(&ask_with(&index, "order", &only(want)));
    assert_eq!(found(Want::Exact(Fact::Import, "shop/pay.py".into())), ["shop/cart.py:5"]);
    assert_eq!(found(Want::Calls("shop/pay.py:charge".into())), ["shop/cart.py:5"]);
    assert_eq!(found(Want::Calls("charge".into())).len(), 2);
    assert_eq!(found(Want::Exact(Fact::Import, "shop/nowhere.py".into())), [""; 0]);
}

#[test]
fn a_name_has_the_type_its_function_declares() {
    let site = site(SHOP);
    let index = site.open();
    let answer = ask_with(&index, "rows", &only(Want::Part(Fact::Type, "receipt".into())));
    assert_eq!(
        places(&answer),
        ["shop/cart.py:5"],
        "drop throws the receipt away, other.py calls another charge"
    );
    let hit = &answer.hits[0];
    assert_eq!(hit.resolved.types, ["Receipt"]);
    assert_eq!(hit.resolved.calls.len(), 1);
    assert_eq!((hit.resolved.calls[0].path.as_str(), hit.resolved.calls[0].line), ("shop/pay.py", 5));
    assert!(hit.resolved.imports.contains(&("shop.pay".into(), vec!["shop/pay.py".into()])));
}

#[test]
fn callers_are_followed_to_a_depth_and_changes_are_seen() {
    let site = site(&[
        ("a.py", "from b import two\n\n\ndef one():\n    two()\n    two()\n"),
        ("b.py", "from c import three\n\n\ndef two():\n    three()\n"),
        ("c.py", "def three():\n    return 3\n"),
    ]);
    let index = site.open();
    let reach = |depth: u32| -> Vec<String> {
        let relations = index.relations().unwrap();
        let (found, cut) = relations.callers(&relations.find("three"), depth, 100);
        assert!(!cut);
        // The blocks with the imports refer to them too.
        let symbols = found.iter().map(|reached| relations.symbol(reached.id));
        symbols.map(|symbol| symbol.name).filter(|name| !name.is_empty()).collect()
    };
    assert_eq!(reach(1), ["two"]);
    assert_eq!(reach(5), ["two", "one"]);
    let relations = index.relations().unwrap();
    let (one, two) = (relations.find("one")[0], relations.find("two")[0]);
    let lines: Vec<u32> =
        relations.lines(&mut Texts::default(), one, two).into_iter().map(|place| place.line).collect();
    assert_eq!(lines, [5, 6]);
    site.write("b.py", "def two():\n    return 2\n");
    index.refresh().unwrap();
    assert!(reach(5).is_empty());
}

#[test]
fn what_many_refer_to_ranks_first_and_a_focus_moves_the_rank() {
    let index = site(&[
        ("core.py", "def core():\n    return 1\n\n\ndef rare():\n    return 2\n"),
        ("a.py", "from core import core\n\n\ndef a():\n    core()\n"),
        ("b.py", "from core import core\n\n\ndef b():\n    core()\n"),
        ("c.py", "from core import rare\n\n\ndef c():\n    rare()\n"),
    ])
    .open();
    let relations = index.relations().unwrap();
    let best = |focus: &[&str]| {
        let focus: Vec<_> = focus.iter().flat_map(|name| relations.find(name)).collect();
        let ranked = relations.ranked(&focus);
        ranked.iter().take(2).map(|(id, _)| relations.symbol(*id).name).collect::<Vec<_>>()
    };
    assert_eq!(best(&[])[0], "core");
    assert!(best(&["c"]).contains(&"rare".to_owned()));
}
