#!/usr/bin/env node
const { main } = require('../dist/start.js');

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
