const { runReport, runFixed, runMany } = require("./reports");
const users = require("./users");

function report(req, res) {
  // expect req->exec
  runReport(req.query.name);
}

function fixedReport(req, res) {
  // expect nothing
  runFixed(req.query.name);
}

function allReports(req, res) {
  // expect req->exec
  const list = req.body.names;
  runMany(1, list);
}

async function user(req, res) {
  // expect req->query
  const found = await users.byName(req.params.name);
  res.json(found);
}

function userById(req, res) {
  // expect nothing
  users.byId(req.params.id);
}

function wrongPlace(req, res) {
  // expect nothing
  runMany(req.body.count, []);
}

module.exports = { report, fixedReport, allReports, user, userById, wrongPlace };
