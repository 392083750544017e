#!/usr/bin/env node
// What runTests() starts in place of the desktop executable; the program itself is compiled.
import '../../out/test/setup/code.js';
