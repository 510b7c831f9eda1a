const { exec } = require("child_process");

function runReport(name) {
  // expect req->exec
  const command = `report ${name}`;
  exec(command);
}

function runFixed(name) {
  // expect nothing
  exec("report all");
  return name.length;
}

function runMany(count, names) {
  // expect req->exec
  for (const name of names) {
    runReport(name);
  }
  return count;
}

module.exports = { runReport, runFixed, runMany };
