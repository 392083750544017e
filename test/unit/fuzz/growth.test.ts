import assert from 'node:assert/strict';
import { iconTypeOf } from '../../../src/base/inlineIcon';
import { normalized } from '../../../src/base/normalized';
import { revealed } from '../../../src/base/text';
import { readYaml } from '../../../src/base/yamlText';
import { Coverage } from '../../../src/features/authors/core/coverage';
import { readSource } from '../../../src/features/authors/core/sourceText';
import { stemsOf } from '../../../src/features/languageModel/core/relevance';
import { LaunchTexts } from '../../../src/features/organization/core/launchTexts';
import { parseManagedFile } from '../../../src/features/organization/core/managedFile';
import { promptDocument } from '../../../src/features/prompts/core/promptDocument';
import { setValues } from '../../../src/features/settings/core/settingsEdit';
import { withBridge } from '../../../src/features/setup/core/agentFiles';
import { readContent, readPasted } from '../../../src/features/setup/core/hostDialects';
import { serverOf } from '../../../src/features/setup/core/registryClient';
import { choicesOf, installedAs } from '../../../src/features/setup/core/registryServer';
import { plainBlocks } from '../../../src/features/setup/core/registryText';
import { nameOfServer } from '../../../src/features/setup/core/serverDraft';
import { meaningsOf } from '../../../src/features/setup/core/textMeanings';
import { frontmatterProblem } from '../../../src/features/skills/core/skill';
import { TraceRows } from '../../../src/features/trace/core/traceRows';
import { fetchesPinned } from '../../../src/host/launch/launchFingerprint';
import { maskedValues } from '../../../src/host/launch/launchReview';
import { bodyValue, saidOf } from '../../../src/host/reading/answers';
import type { ProgramEntry } from '../../../src/host/settings';
import { parseServers } from '../../../src/host/settings';
import { needsShell, parseEnvFile, splitCommandLine } from '../../../src/host/settings/entryTexts';
import { received } from '../host/trace/records';
import { isNight } from './fuzz';

const limits = { characters: Number.POSITIVE_INFINITY, aliases: 100 };

const program = (args: readonly string[], env = {}, command = 'npx') =>
  ({ type: 'stdio', command, args, env }) as unknown as ProgramEntry;

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
  'a change of settings': text => attempt(() => setValues(text, [[['k1', 'command'], 'x']])),
  'an entry for agents': text => attempt(() => withBridge(text, 'mcpServers', { command: 'x', args: [] })),
  parseManagedFile: text => parseManagedFile(text, '/etc/x', 'own'),
  parseEnvFile: text => attempt(() => parseEnvFile(text)),
  splitCommandLine,
  'parseServers of a command': text => parseServers({ one: { command: text } }),
  bodyValue,
  'promptDocument of a text': text => {
    const content = { type: 'text' as const, text };
    return promptDocument({
      server: 'a',
      prompt: { name: 'b' },
      args: {},
      result: { messages: [{ role: 'user', content }] },
    });
  },
  stemsOf,
  revealed,
  normalized: text => normalized(text, 'NFKC'),
  'an error of a server': text => saidOf({ code: 1, message: text, data: `${text}b${text}`.slice(text.length / 2) }),
  'the coverage of templates and resources': text => {
    const listed = text.split('\n').map((_, n) => `a://b/{x}/${n}`);
    const coverage = new Coverage();
    const resourceTemplates = listed.map(uriTemplate => ({ name: uriTemplate, uriTemplate }));
    coverage.listed({
      tools: [],
      prompts: [],
      resourceTemplates,
      resources: listed.map(uri => ({ name: uri, uri: `${uri}c` })),
    });
    return coverage.summary;
  },
  'a trace of sessions': text => {
    const messages = text.split('\n').map((_, n) => received(n + 1, { id: n, method: 'initialize' }));
    return new TraceRows().update(messages);
  },
  plainBlocks,
  'the review of a variable and an argument': text => maskedValues(program([text], { A_TOKEN: text })),
  'a package that may have a fixed version': text => fetchesPinned(program(['-y', `a@1.0${text}!`])),
  'a line that may be for a shell of Windows': text => needsShell(`"${text}`, 'win32'),
  'a line that may be for a shell': text => needsShell(`"${text}`, 'linux'),
  'an icon': text => iconTypeOf(Buffer.from(`<svg src=${text}#`)),
  nameOfServer: text => nameOfServer({ command: 'npx', args: [`~${text} `] }),
  'a package of a registry': text => {
    const packages = ['npm', 'oci'].map(registryType => ({ registryType, identifier: `a${text}/`, version: '1' }));
    const choices = choicesOf(serverOf({ name: 'a/b', packages })!);
    return installedAs(choices, { a: { command: 'npx', args: ['x'] } });
  },
  'an argument that denials are searched in': text => {
    const texts = new LaunchTexts(program(['-c', text], {}, 'sh'));
    const url = { protocol: 'https:', host: 'corp.example', port: '', path: '/*' };
    const alone = new LaunchTexts(program([`{,${text} `], {}, 'x'));
    return [
      alone.unknownPart,
      texts.mayRun(['npx', '-y', 'pkg']),
      texts.mayRun(['uvx', 'a-b']),
      texts.mayReach(url),
      texts.unknownPart,
    ];
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
  commas: times => '{,'.repeat(times),
  slashes: times => '/.'.repeat(times),
  colons: times => ':'.repeat(times),
  'variables within quotes': times => '${}'.repeat(times),
  'marks out of order': times => `a${'\u0300'.repeat(times / 2)}${'\u0316'.repeat(times / 2)}`,
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
