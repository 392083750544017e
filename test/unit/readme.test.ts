// What the pages say is tried: commands of the shell, settings, titles of commands, files.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parse } from 'jsonc-parser';
import { parseInputs } from '../../src/host/settings/inputs';
import { parseServers } from '../../src/host/settings/parseServers';
import { inRepository } from '../setup/paths';
import { readTexts, textsOfSources } from '../setup/texts';

const { dirname, join } = posix;

const read = (file: string) => readFileSync(inRepository(file), 'utf8');
const guides = readdirSync(inRepository('docs')).filter(file => file.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', 'test/README.md', ...guides.map(file => `docs/${file}`)];
const blocks = (page: string, language: string) =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);

describe('the pages', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

  it('name existing npm scripts', () => {
    for (const page of pages) {
      for (const [command, , script = ''] of read(page).matchAll(/npm (run )?(\w+)/g))
        if (script !== 'packages') assert.ok(script in scripts, `${page}: ${command}`);
    }
  });

  it('name commands that exist: each prints its usage', () => {
    const commands = [
      ...read('CONTRIBUTING.md').matchAll(/bootstrap\.mjs|`npm run (bench|conformance|soak|pictures)/g),
    ];
    assert.ok(commands.length > 3);
    const { status, stderr } = spawnSync(process.execPath, [inRepository('test/setup/bootstrap.mjs'), 'nonsense']);
    assert.equal(status, 1);
    for (const [, name = ''] of commands) assert.match(String(stderr), new RegExp(`\\b${name}\\b`));
  });

  it('contain only settings that are accepted without a warning', () => {
    const examples = ['README.md', 'docs/servers.md', 'docs/sign-in.md']
      .flatMap(page => blocks(page, 'jsonc'))
      .map(code => parse(`{${code}}`) as Record<string, unknown>);
    assert.ok(examples.length >= 5);
    for (const example of examples) {
      const { servers, problems } = parseServers(example['mcpHost.servers'] ?? {});
      assert.deepEqual(problems, []);
      for (const server of servers) assert.deepEqual(server.problems, [], server.name);
      assert.deepEqual(parseInputs(example['mcpHost.inputs'] ?? []).problems, []);
    }
  });

  it('name commands and buttons by their titles', () => {
    const titles = new Set([
      ...Object.values(readTexts('package.nls.json')),
      ...textsOfSources(),
      // The editor's own.
      'Compare Active File With…',
      'Extensions: Install from VSIX…',
    ]);
    for (const page of pages) {
      for (const [, title = ''] of read(page).matchAll(/\*([A-Z][^*\n]+…)\*/g))
        assert.ok(titles.has(title), `${page}: ${title}`);
    }
  });

  it('link to existing files', () => {
    for (const page of pages) {
      for (const [, file = ''] of read(page).matchAll(
        /(?:\]\(|`)((?:docs\/)?[\w-]+\.(?:md|png)|docs\/[\w/-]+\.png)[)`]/g,
      ))
        assert.ok(existsSync(inRepository(file)) || existsSync(inRepository('docs', file)), `${page}: ${file}`);
    }
  });
});

describe('links between the pages', () => {
  const all = [...pages, 'SECURITY.md', 'CHANGELOG.md', 'ARCHITECTURE.md'];
  /** As GitHub makes them of headings. */
  const anchors = (page: string) =>
    [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it('lead to existing files and headings', () => {
    for (const page of all)
      for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:|\.\.\/\.\.\/actions)([^)]+)\)/g)) {
        const [path = '', anchor] = target.split('#');
        const file = path ? join(dirname(page), path) : page;
        assert.ok(existsSync(inRepository(file)), `${page}: ${target}`);
        if (anchor !== undefined) assert.ok(anchors(file).includes(anchor), `${page}: ${target}`);
      }
  });
});

describe('the pages for contributors', () => {
  const readmes = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' })
    .map(file => join('src', file.replaceAll('\\', '/')))
    .filter(file => file.endsWith('README.md'));

  it('name existing files', () => {
    assert.ok(readmes.length > 10);
    for (const page of ['ARCHITECTURE.md', ...readmes])
      for (const part of read(page).split('\n\n')) filesIn(page, part);
  });
});

describe('the length of a page', () => {
  const MOST_WORDS = {
    'ARCHITECTURE.md': 1_200,
    'CONTRIBUTING.md': 1_200,
    'README.md': 1_500,
    'SECURITY.md': 2_000,
    ...Object.fromEntries(guides.map(file => [`docs/${file}`, 1_200])),
  };

  for (const [page, most] of Object.entries(MOST_WORDS)) {
    it(`is at most ${most} words for ${page}, without what a program writes into it`, () => {
      const words = read(page)
        .replace(/<!-- made by .*?<!-- end -->/gs, '')
        .split(/\s+/)
        .filter(word => /\w/.test(word));
      assert.ok(words.length <= most, String(words.length));
    });
  }
});

/** The files named in a text: looked for from the root, in src and test, beside the page, and near those named before. */
function filesIn(page: string, text: string): string[] {
  const folders = ['.', 'src', 'test', dirname(page)];
  const names = text.matchAll(/`((?:[\w-]+\/)*[\w.-]+\.(?:ts|mjs|css|md)|(?:unit|editor|ui)\/[\w/]+)`/g);
  return [...names].map(([, name = '']) => {
    const file = /\.\w+$/.test(name) ? name : `${name}.test.ts`;
    const folder = folders.find(base => existsSync(inRepository(base, file)));
    assert.ok(folder !== undefined, `${page}: ${name}`);
    const found = join(folder, file);
    for (let parent = dirname(found); parent !== '.'; parent = dirname(parent)) folders.push(parent);
    return found;
  });
}
