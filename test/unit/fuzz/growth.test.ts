import assert from 'node:assert/strict';
import { readYaml } from '../../../src/base/yamlText';
import { readSource } from '../../../src/features/authors/core/sourceText';
import { LaunchTexts } from '../../../src/features/organization/core/launchTexts';
import { parseManagedFile } from '../../../src/features/organization/core/managedFile';
import { readContent, readPasted } from '../../../src/features/setup/core/hostDialects';
import { meaningsOf } from '../../../src/features/setup/core/textMeanings';
import { frontmatterProblem } from '../../../src/features/skills/core/skill';
import { parseServers } from '../../../src/host/settings';
import { parseEnvFile, splitCommandLine } from '../../../src/host/settings/entryTexts';
import { isNight } from './fuzz';

const limits = { characters: Number.POSITIVE_INFINITY, aliases: 100 };

/** Each parser of texts from outside. */
const PARSERS: { readonly [name: string]: (text: string) => unknown } = {
  readYaml: text => readYaml(text, limits),
  'readContent of YAML': text => attempt(() => readContent(text, 'a.yaml')),
  'readContent of JSON': text => attempt(() => readContent(text, 'a.json')),
  readPasted,
  meaningsOf,
  'readSource of YAML': text => readSource(text, 'yaml'),
  'readSource of JSON': text => readSource(text, 'json'),
  frontmatterProblem: text => frontmatterProblem(`---\n${text}\n---\n`, {}),
  parseManagedFile: text => parseManagedFile(text, '/etc/x', 'own'),
  parseEnvFile: text => attempt(() => parseEnvFile(text)),
  splitCommandLine,
  'parseServers of a command': text => parseServers({ one: { command: text } }),
  'an argument that denials are searched in': text => {
    const entry = { type: 'stdio', command: 'sh', args: ['-c', text], env: {} };
    const texts = new LaunchTexts(entry as unknown as ConstructorParameters<typeof LaunchTexts>[0]);
    const url = { protocol: 'https:', host: 'corp.example', port: '', path: '/*' };
    return [texts.mayRun(['npx', '-y', 'pkg']), texts.mayRun(['uvx', 'a-b']), texts.mayReach(url), texts.unknownPart];
  },
};

/** Texts of which each is longer by what it repeats. */
const SHAPES: { readonly [name: string]: (times: number) => string } = {
  keys: times => Array.from({ length: times }, (_, index) => `key${index}: v`).join('\n'),
  aliases: times =>
    Array.from({ length: times }, (_, index) => `k${index}: &a${index} v\nl${index}: *a${index}`).join('\n'),
  items: times => '- a\n'.repeat(times),
  mistakes: times => 'a: b: c\n'.repeat(times),
  JSON: times => `{${Array.from({ length: times }, (_, index) => `"k${index}": {"command": "npx"}`).join(',')}}`,
  quotes: times => '"'.repeat(times),
  'single quotes': times => "'a".repeat(times),
  backslashes: times => '\\"'.repeat(times),
  braces: times => '{'.repeat(times),
  brackets: times => '['.repeat(times),
  variables: times => '${a'.repeat(times),
  spaces: times => ' '.repeat(times),
  lines: times => '\n'.repeat(times),
  fences: times => '```a\n'.repeat(times),
  names: times => 'pkg-'.repeat(times),
  scopes: times => '@a/'.repeat(times),
  hosts: times => 'corp.'.repeat(times),
  separators: times => 'a-_.'.repeat(times),
  words: times => 'env a=b '.repeat(times),
  long: times => 'a'.repeat(times),
};
const SMALLEST = isNight ? 4_000 : 1_000;

describe('fuzz: the time that a parser needs', () => {
  for (const [name, parse] of Object.entries(PARSERS)) {
    it(`grows as the text does: ${name} @growth.grows-text`, function () {
      this.timeout(120_000);
      for (const [shape, textOf] of Object.entries(SHAPES)) {
        // Twice the text takes twice the time, and four times where each part is compared with all others. What is read in no
        // time at all has none to compare.
        parse(textOf(SMALLEST));
        const ratio = () => {
          const [small, , , large] = [1, 2, 4, 8].map(size => timeOf(parse, textOf(size * SMALLEST)));
          return large! / Math.max(small!, 1);
        };
        let least = Number.POSITIVE_INFINITY;
        for (let attempts = 0; attempts < 4 && least > 24; attempts++) least = Math.min(least, ratio());
        assert.ok(least <= 24, `${shape}: eight times the text took ${least.toFixed(0)} times as long`);
      }
    });
  }
});

function timeOf(parse: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  parse(text);
  return process.cpuUsage(before).user / 1_000;
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
