const db = require("./db");

function byName(name) {
  // expect req->query
  return db.query("select * from users where name = '" + name + "'");
}

function byId(id) {
  // expect nothing
  return db.query("select * from users where id = $1", [id]);
}

module.exports = { byName, byId };
