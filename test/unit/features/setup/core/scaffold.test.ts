import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lint } from '../../../../../src/features/lint/core/lint';
import { filledIn, type Language, SCAFFOLDS, serverNameOf } from '../../../../../src/features/setup/core/scaffold';
import { inRepository, temporaryFolder } from '../../../../setup/paths';
import { raw } from '../../../../setup/raw';
import { TestHost } from '../../../host/testHost';

type Scaffold = (typeof SCAFFOLDS)[Language];

/** Of a virtual environment, where one is active. */
const PYTHON = process.platform === 'win32' ? 'python' : 'python3';
const runsPython = (args: string[]) => spawnSync(PYTHON, args, { stdio: 'ignore' }).status === 0;

const TEMPLATES = inRepository('media', 'newServer');

describe('a new server', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  function write(language: Language, program: { command?: string; args?: string[] } = {}): void {
    for (const [template, file] of Object.entries(SCAFFOLDS[language].files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      const text = readFileSync(join(TEMPLATES, template), 'utf8');
      writeFileSync(join(folder, file), filledIn(text, 'word-counter', { ...SCAFFOLDS[language], ...program }));
    }
  }

  it('in TypeScript builds, runs, passes its test, and has no lint findings', async function () {
    this.timeout(120_000);
    write('typescript');
    symlinkSync(inRepository('node_modules'), join(folder, 'node_modules'), 'junction');
    execFileSync(process.execPath, [inRepository('node_modules', 'typescript', 'bin', 'tsc')], { cwd: folder });
    await works(SCAFFOLDS.typescript);
  });

  it('in Python is a valid program', function () {
    if (!runsPython(['-c', ''])) this.skip(); // Python is not installed here
    write('python');
    execFileSync(PYTHON, ['-m', 'py_compile', 'server.py'], { cwd: folder });
  });

  it('in Python runs, passes its test, and has no lint findings', async function () {
    // The SDK comes with uv, from a registry that no test may need. docs/platforms.md says when this ran.
    if (!runsPython(['-c', 'import mcp.server.mcpserver'])) this.skip();
    this.timeout(120_000);
    const program = { command: PYTHON, args: ['server.py'] };
    write('python', program);
    await works({ ...SCAFFOLDS.python, ...program });
  });

  /** Starts it as its entry says, calls it, checks it, and runs its tests. */
  async function works({ command, args, dev }: Pick<Scaffold, 'command' | 'args' | 'dev'>): Promise<void> {
    await using host = new TestHost();
    const { definitions } = host.configure({ 'word-counter': { command, args, cwd: folder, dev } });
    assert.deepEqual(definitions[0]?.problems, []);
    const { catalog, info } = await host.loads('word-counter');
    const { tools, prompts, resourceTemplates } = catalog;
    const { content } = await raw(host.server('word-counter')).callTool(tools[0]!, { text: 'one two' });
    assert.deepEqual(content, [{ type: 'text', text: '2 words' }]);
    const listed = { tools, prompts, resourceTemplates, instructions: info?.instructions };
    assert.deepEqual(lint({ ...listed, excluded: [], changedUnannounced: [] }), []);
    const said = execFileSync(process.execPath, [inRepository('dist', 'mcptest.js'), 'server.mcptest.yaml'], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.match(said, /\n2 passed, 0 failed, 0 skipped\n$/);
  }

  it('has no placeholder left in any file, and each template is used', () => {
    for (const language of ['typescript', 'python'] as const) {
      write(language);
      for (const file of Object.values(SCAFFOLDS[language].files))
        assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /\{\{/, file);
    }
    const used = new Set(
      Object.values(SCAFFOLDS).flatMap(({ files }) => Object.keys(files).map(file => basename(file))),
    );
    const there = readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.txt'));
    assert.deepEqual(new Set(there.map(file => basename(file))), used);
  });

  it('requests the package versions that it is tested with', () => {
    const { dependencies } = JSON.parse(readFileSync(join(TEMPLATES, 'typescript/package.json.txt'), 'utf8'));
    const { devDependencies } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8'));
    const major = (version: string) => /\d+/.exec(version)?.[0];
    for (const [name, version] of Object.entries<string>(dependencies))
      assert.equal(major(version), major(devDependencies[name]), name);
  });

  it('gets a valid name that no other server has', () => {
    assert.equal(serverNameOf('Wörter Zähler!', []), 'worter-zahler');
    assert.equal(serverNameOf('日本', []), 'my-server');
    assert.equal(serverNameOf('', ['my-server']), 'my-server-2');
    assert.equal(serverNameOf('a', ['a', 'a-2']), 'a-3');
    assert.ok(serverNameOf('x'.repeat(300), []).length <= 50);
  });
});
