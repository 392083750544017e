import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository } from '../setup/paths';

/**
 * The script of the inspector's command line, copied below `folder`. It is published apart, and looks for the inspector's
 * `package.json` two folders above: it is given one.
 */
export function inspector(folder: string): string {
  const cli = inRepository('node_modules', '@modelcontextprotocol', 'inspector-cli');
  const at = path.join(folder, 'inspector');
  fs.cpSync(path.join(cli, 'build'), path.join(at, 'cli', 'build'), { recursive: true });
  fs.writeFileSync(path.join(at, 'package.json'), '{ "name": "@modelcontextprotocol/inspector", "version": "1.0.3" }');
  fs.copyFileSync(path.join(cli, 'package.json'), path.join(at, 'cli', 'package.json'));
  if (fs.existsSync(path.join(cli, 'node_modules')))
    fs.symlinkSync(path.join(cli, 'node_modules'), path.join(at, 'cli', 'node_modules'), 'junction');
  fs.symlinkSync(inRepository('node_modules'), path.join(at, 'node_modules'), 'junction');
  return path.join(at, 'cli', 'build', 'index.js');
}
