// node mutated.js <compiled file> <its mutant> <source> <its mutant> <program> [argument …]: runs a program in which a module is
// replaced by its mutant, for tests that read sources, too.
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [node = '', , compiled = '', mutant = '', source = '', mutantSource = '', program = '', ...args] = process.argv;
const { readFileSync } = fs;
const replaced = pathToFileURL(compiled).href;
registerHooks({
  load: (url, context, next) =>
    url === replaced ? { format: 'commonjs', source: readFileSync(mutant), shortCircuit: true } : next(url, context),
});
Object.assign(fs, {
  readFileSync: (file: unknown, ...rest: []) =>
    readFileSync(file === source ? mutantSource : (file as string), ...rest),
});
syncBuiltinESMExports();
process.argv = [node, resolve(program), ...args];
require(resolve(program));
