const { exec } = require("child_process");
const cp = require("child_process");

function ping(req, res) {
  // expect req->exec
  const host = req.query.host;
  exec(`ping -c 1 ${host}`);
}

function pingFixed(req, res) {
  // expect nothing
  exec("ping -c 1 localhost");
}

function find(req, res, db) {
  // expect req->query
  const { body } = req;
  const name = req.body.name.trim();
  db.query("SELECT * FROM users WHERE name = '" + name + "'");
}

function findBound(req, res, db) {
  // expect nothing
  db.query("SELECT * FROM users WHERE name = ?", [req.body.name]);
}

function findNumber(req, res, db) {
  // expect nothing
  const id = parseInt(req.params.id, 10);
  db.query("SELECT * FROM users WHERE id = " + id);
}

function greet(req, res) {
  // expect req->res.send
  res.send("<h1>Hello " + req.query.name + "</h1>");
}

function greetEscaped(req, res) {
  // expect nothing
  res.send("<h1>Hello " + escapeHtml(req.query.name) + "</h1>");
}

function show() {
  // expect location->innerHTML
  const text = decodeURIComponent(location.hash.slice(1));
  document.getElementById("out").innerHTML = text;
}

function showText() {
  // expect nothing
  document.getElementById("out").textContent = location.hash;
}

function calculate(req, res) {
  // expect req->eval
  const result = eval(req.body.expression);
  res.json(result);
}

function match(pattern, text) {
  // expect nothing
  return pattern.exec(text);
}

function read(req, res) {
  // expect req->fs
  fs.readFile("/srv/" + req.params.file, () => {});
}

function readNamed(req, res) {
  // expect nothing
  fs.readFile("/srv/" + path.basename(req.params.file), () => {});
}

function proxy(req, res) {
  // expect req->fetch
  return fetch(req.query.url);
}

function leave(req, res) {
  // expect req->res.redirect
  res.redirect(req.query.next);
}

function start(req) {
  // expect nothing
  cp.spawn("ls", [req.query.dir]);
}

function proxy(req, res) {
  // expect req->fetch
  const url = req.query.url + req.query.symbol;
  needle.get(url, (error, answer) => res.json(answer));
}

function proxyFixed(req, res) {
  // expect nothing
  needle.get("https://example.org/quotes", (error, answer) => res.json(answer));
}

async function mirror(req, res) {
  // expect req->fetch
  const page = await got.get(req.body.page);
  res.json(page);
}

function above(req, res, stocks) {
  // expect req->$where
  const least = req.query.least;
  stocks.find({ $where: `this.amount > ${least}` }).toArray(done);
}

function aboveNumber(req, res, stocks) {
  // expect nothing
  const least = parseInt(req.query.least, 10);
  stocks.find({ $where: `this.amount > ${least}` }).toArray(done);
}

function aboveField(req, res, stocks) {
  // expect nothing
  stocks.find({ amount: { $gt: req.query.least } }).toArray(done);
}

function firstOf(req, res, list) {
  // expect nothing
  res.json(list.find((one) => one.id === req.params.id));
}
