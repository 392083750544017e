// The sample of docs/api.md as an extension, and the example of docs/api/example: tests compile and run them.
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import { inRepository } from './paths';

/** The code of the sample, as people copy it. */
export function apiSample(): string {
  const text = readFileSync(inRepository('docs/api.md'), 'utf8');
  const [, code] = /\n```ts\n(import .*?)\n```\n/s.exec(text) ?? [];
  if (code === undefined) throw new Error('docs/api.md has no sample');
  return code;
}

/** Writes the sample into a folder, with the types beside it. @returns the file. */
export function writeSample(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'extension.ts');
  writeFileSync(file, apiSample());
  const types = path.join(folder, 'node_modules', '@mcp-host', 'api');
  mkdirSync(types, { recursive: true });
  for (const name of ['index.d.ts', 'package.json'])
    copyFileSync(inRepository('docs', 'api', name), path.join(types, name));
  return file;
}

/** Makes an extension of it that VS Code loads from the folder. */
export function makeSampleExtension(folder: string): void {
  const code = readFileSync(writeSample(folder), 'utf8');
  writeFileSync(path.join(folder, 'extension.js'), transformSync(code, { loader: 'ts', format: 'cjs' }).code);
  const manifest = {
    name: 'api-sample',
    displayName: 'API Sample',
    publisher: 'mcp-host-test',
    version: '1.2.3',
    engines: { vscode: '^1.103.0' },
    main: './extension.js',
    activationEvents: ['onStartupFinished'],
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
}

/** Makes an extension of docs/api/example that VS Code loads from the folder. @returns the folder. */
export function makeExampleExtension(folder: string): string {
  const source = inRepository('docs', 'api', 'example');
  mkdirSync(folder, { recursive: true });
  for (const part of ['package.json', 'server'])
    cpSync(path.join(source, part), path.join(folder, part), { recursive: true });
  buildSync({
    entryPoints: [path.join(source, 'src', 'extension.ts')],
    outfile: path.join(folder, 'out', 'extension.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  });
  return folder;
}
