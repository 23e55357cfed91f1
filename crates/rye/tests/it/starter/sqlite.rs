//! Real databases.

use serde_json::json;

use super::{call, names, python, refusal, wrong_parameters};
use crate::space::TestSpace;

const SQLITE: &str = "rye/data/sqlite";

fn database() -> TestSpace {
    let space = TestSpace::with_bundle();
    python(
        &space,
        "import sqlite3; db = sqlite3.connect('shop.db'); db.execute('CREATE TABLE items (name TEXT, price REAL, data BLOB)')\n\
         db.executemany('INSERT INTO items VALUES (?, ?, ?)', [('pen', 1.5, None), ('ink', 12.5, b'\\0x')]); db.commit()",
    );
    space
}

#[test]
fn rows_are_data() {
    let space = database();
    let all = call(&space, SQLITE, &json!({ "path": "shop.db", "sql": "SELECT * FROM items" }));
    assert_eq!(
        all,
        json!({ "columns": ["name", "price", "data"], "truncated": false,
            "rows": [["pen", 1.5, null], ["ink", 12.5, { "base64": "AHg=", "bytes": 2 }]] })
    );
    let named = json!({ "path": "shop.db", "sql": "SELECT price FROM items WHERE name = :n", "parameters": { "n": "' OR 1" } });
    assert_eq!(call(&space, SQLITE, &named)["rows"], json!([]));
    let cut =
        call(&space, SQLITE, &json!({ "path": "shop.db", "sql": "SELECT name FROM items", "limit": 1 }));
    assert_eq!((&cut["rows"], &cut["truncated"]), (&json!([["pen"]]), &json!(true)));
    let odd = json!({ "path": "shop.db", "sql": "SELECT cast(x'ff80' AS TEXT), 'ü'" });
    assert_eq!(call(&space, SQLITE, &odd)["rows"], json!([[{ "base64": "/4A=", "bytes": 2 }, "ü"]]));
    let columns = call(&space, SQLITE, &json!({ "path": "shop.db", "sql": "PRAGMA table_info(items)" }));
    assert_eq!(columns["rows"][0][1], "name");
    std::fs::copy(space.path("project/shop.db"), space.path("project/a #?%41&mode=rwc.db")).unwrap();
    let odd =
        call(&space, SQLITE, &json!({ "path": "a #?%41&mode=rwc.db", "sql": "SELECT count(*) FROM items" }));
    assert_eq!(odd["rows"], json!([[2]]));
    wrong_parameters(&space, SQLITE, &json!({ "path": "shop.db", "sql": "SELECT ?", "parameters": [[1]] }));
}

#[test]
fn reading_changes_nothing_and_makes_no_file() {
    let space = database();
    let before = std::fs::read(space.path("project/shop.db")).unwrap();
    for sql in [
        "DELETE FROM items",
        "CREATE TABLE t (x)",
        "INSERT INTO items VALUES (1, 2, 3) RETURNING name",
        "VACUUM",
    ] {
        let said = refusal(&space, SQLITE, &json!({ "path": "shop.db", "sql": sql }));
        assert!(said.contains("readonly") || said.contains("VACUUM"), "{sql}: {said}");
    }
    assert_eq!(
        refusal(&space, SQLITE, &json!({ "path": "no.db", "sql": "SELECT 1" })),
        "there is no `no.db` in the project"
    );
    assert_eq!(std::fs::read(space.path("project/shop.db")).unwrap(), before);
    assert_eq!(names(&space, "project"), [".ai", "shop.db"]);
    // One that keeps a log of its changes, as most programs set it up.
    python(
        &space,
        "import sqlite3; db = sqlite3.connect('shop.db'); db.execute('PRAGMA journal_mode = WAL'); db.execute('DELETE FROM items')",
    );
    call(&space, SQLITE, &json!({ "path": "shop.db", "sql": "SELECT * FROM items" }));
    assert_eq!(names(&space, "project"), [".ai", "shop.db"]);
}

#[test]
fn a_log_that_is_in_use_is_read() {
    let space = database();
    python(
        &space,
        "import os, sqlite3; db = sqlite3.connect('shop.db', isolation_level=None); db.execute('PRAGMA journal_mode = WAL')\n\
         db.execute(\"INSERT INTO items VALUES ('new', 1, NULL)\"); os._exit(0)",
    );
    assert!(names(&space, "project").contains(&"shop.db-wal".to_owned()));
    let count = call(&space, SQLITE, &json!({ "path": "shop.db", "sql": "SELECT count(*) FROM items" }));
    assert_eq!(count["rows"], json!([[3]]));
    // Nobody has it open any more, and the log was left behind.
    space.remove("project/shop.db-shm");
    let count = call(&space, SQLITE, &json!({ "path": "shop.db", "sql": "SELECT count(*) FROM items" }));
    assert_eq!(count["rows"], json!([[3]]));
    assert_eq!(names(&space, "project"), [".ai", "shop.db", "shop.db-wal"]);
}

#[test]
fn changes_are_made_if_it_is_said() {
    let space = database();
    let write = |sql: &str| json!({ "path": "shop.db", "sql": sql, "write": true });
    let answer = call(&space, SQLITE, &write("UPDATE items SET price = price + 1 RETURNING price"));
    assert_eq!((&answer["rows"], &answer["changes"]), (&json!([[2.5], [13.5]]), &json!(2)));
    let limited = json!({ "path": "shop.db", "sql": "UPDATE items SET price = 0 RETURNING name", "write": true, "limit": 1 });
    assert_eq!(call(&space, SQLITE, &limited)["changes"], 2);
    assert_eq!(call(&space, SQLITE, &write("DELETE FROM items WHERE price = 0"))["changes"], 2);
    call(&space, SQLITE, &write("VACUUM"));
    assert!(refusal(&space, SQLITE, &write("BEGIN")).contains("transaction"));
    call(&space, SQLITE, &json!({ "path": "new/made.db", "sql": "CREATE TABLE t (x)", "write": true }));
    assert!(space.path("project/new/made.db").exists());
}

#[test]
fn no_other_file_is_reached() {
    let space = database();
    space.write("elsewhere/other.db", "");
    let other = space.path("elsewhere/other.db");
    for write in [false, true] {
        for sql in [
            format!("ATTACH '{}' AS o", other.display()),
            format!("VACUUM INTO '{}.copy'", other.display()),
            "SELECT load_extension('x')".to_owned(),
            "PRAGMA temp_store_directory = '/tmp'".to_owned(),
            "PRAGMA writable_schema = 1".to_owned(),
            "PRAGMA journal_mode = WAL".to_owned(),
        ] {
            refusal(&space, SQLITE, &json!({ "path": "shop.db", "sql": sql, "write": write }));
        }
    }
    assert_eq!(names(&space, "elsewhere"), ["other.db"]);
    assert_eq!(space.read("elsewhere/other.db"), "");
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let space = database();
    space.write("project/text.db", "this is not a database, but it is long enough for one");
    assert_eq!(
        refusal(&space, SQLITE, &json!({ "path": "text.db", "sql": "SELECT 1" })),
        "`text.db` is not an SQLite database"
    );
    assert_eq!(
        refusal(&space, SQLITE, &json!({ "path": "shop.db", "sql": "SELECT nope" })),
        "no such column: nope"
    );
    for sql in ["SELECT 1; SELECT 2", "SELECT ?", "SELEC"] {
        refusal(&space, SQLITE, &json!({ "path": "shop.db", "sql": sql }));
    }
}
