#!/usr/bin/env node
// An older Node might not even read the program.
if (Number.parseInt(process.versions.node, 10) < 20) {
  console.error(`mcptest needs Node 20 or newer; this is ${process.versions.node}.`);
  process.exitCode = 2;
} else {
  require('./dist/mcptest.js');
}
