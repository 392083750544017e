// What `npm run release` packs for npm, installed and used as people do.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { packAll } from '../../release/packages';
import { readRelease } from '../../release/releaseRules';
import { fixturePath } from '../../servers/spawn';
import { inRepository, root, temporaryFolder } from '../../setup/paths';
import { run } from '../../setup/processes';

const LIMIT_MS = 120_000;
const SECOND_NODE = '/usr/bin/node';

describe('the packages for npm', () => {
  let folder: string;
  let tarballs: string[];
  before(async function () {
    this.timeout(LIMIT_MS);
    folder = temporaryFolder();
    tarballs = await packAll(path.join(folder, 'packed'));
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
    const flags = [
      '--offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--legacy-peer-deps',
    ];
    await run('npm', ['install', ...flags, ...tarballs], { cwd: folder, timeoutMs: LIMIT_MS });
  });

  const installed = (...parts: string[]) => path.join(folder, 'node_modules', '@mcp-host', ...parts);

  it('have the version of the extension, no dependencies, and nothing of this machine', () => {
    const { version } = readRelease();
    assert.deepEqual(
      tarballs.map(file => path.basename(file)),
      [`mcp-host-api-${version}.tgz`, `mcp-host-test-${version}.tgz`],
    );
    for (const name of ['api', 'test']) {
      const manifest = JSON.parse(readFileSync(installed(name, 'package.json'), 'utf8'));
      assert.deepEqual([manifest.version, manifest.license, manifest.dependencies], [version, 'MIT', undefined]);
      assert.ok(existsSync(installed(name, 'LICENSE')) && existsSync(installed(name, 'README.md')));
      for (const file of readdirSync(installed(name), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|ts|json|md|txt)$/.test(file)) continue;
        const text = readFileSync(installed(name, file), 'utf8');
        assert.ok(!text.includes(root) && !/\brequire\(["']vscode["']\)/.test(text), file);
      }
    }
  });

  describe('@mcp-host/test', () => {
    const bin = () => path.join(folder, 'node_modules', '.bin', 'mcptest');
    const mcptest = (node: string, ...args: string[]) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>(resolve =>
        execFile(node, [bin(), ...args], { cwd: folder }, (error, stdout, stderr) =>
          resolve({ code: error ? error.code : 0, stdout, stderr }),
        ),
      );
    const server = () => ['--', process.execPath, fixturePath('hostile')];
    const nodes = [process.execPath, ...(existsSync(SECOND_NODE) ? [SECOND_NODE] : [])];

    for (const node of nodes) {
      it(`runs tests and makes requests with ${node === SECOND_NODE ? 'the Node of the system' : 'this Node'}`, async function () {
        if (process.platform === 'win32') this.skip(); // npm makes no script of Node there
        const tests = path.join(folder, 'a.mcptest.json');
        writeFileSync(
          tests,
          JSON.stringify({
            server: { command: process.execPath, args: [fixturePath('hostile')] },
            protocol: 'legacy',
            tests: [
              { name: 'echoes', steps: [{ call: 'echo', arguments: { text: 'hi' }, expect: { contains: 'hi' } }] },
            ],
          }),
        );
        const tested = await mcptest(node, tests);
        assert.equal(tested.code, 0, tested.stdout + tested.stderr);
        assert.match(tested.stdout, /1 passed, 0 failed/);
        const called = await mcptest(node, 'call', 'echo', 'text=hi', ...server());
        assert.equal(called.code, 0, called.stderr);
        assert.equal(JSON.parse(called.stdout).content[0].text, 'hi');
        const failed = await mcptest(node, 'list', '--', 'no-such-program-at-all');
        assert.equal(failed.code, 1);
        assert.match(failed.stderr, /MCP server "no-such-program-at-all" could not start: /);
      });
    }

    it('confines a server whose entry asks for it, or says why it cannot', async function () {
      if (process.platform === 'win32') this.skip();
      const settings = path.join(folder, 'mcp.json');
      const entry = { command: process.execPath, args: [fixturePath('hostile')], sandbox: { read: [inRepository()] } };
      writeFileSync(settings, JSON.stringify({ mcpServers: { confined: entry } }));
      const { code, stdout, stderr } = await mcptest(process.execPath, 'call', 'confined', 'echo', 'text=hi');
      if (code === 0) assert.match(stdout, /"text": "hi"/);
      else assert.match(stderr, /MCP server "confined" could not start: /);
    });
  });

  describe('@mcp-host/api', () => {
    it('has what the example extension needs to be built and tested', async function () {
      this.timeout(LIMIT_MS);
      const example = path.join(folder, 'example');
      mkdirSync(example);
      for (const part of ['src', 'package.json', 'tsconfig.json'])
        cpSync(inRepository('docs', 'api', 'example', part), path.join(example, part), { recursive: true });
      const typeRoots = ['--typeRoots', inRepository('node_modules', '@types')];
      const tsc = [inRepository('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.', ...typeRoots];
      await run(process.execPath, tsc, { cwd: example, timeoutMs: LIMIT_MS });
      // What runs tests in this process is not to be taken for theirs.
      const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
      const output = await run(process.execPath, ['--test', path.join('out', 'greet.test.js')], {
        cwd: example,
        env,
        timeoutMs: LIMIT_MS,
      });
      assert.match(output, /pass 4\b/);
    });
  });
});
