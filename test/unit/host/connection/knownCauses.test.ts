import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { phrase } from '../../../../src/base/phrase';
import { explain } from '../../../../src/host/connection/explainFailure';
import { resolveDefinitions } from '../../../../src/host/definitions';

const variables = { workspaceFolders: [], userHome: '/', env: () => undefined, config: () => undefined };
const value = { one: { command: 'npx', args: ['-y', 'server'] } };
const [definition] = resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions;

/** The error of a program that printed this and ended. */
function failure(output: string, code = 1, limit: 'startMs' | 'toolCallMs' = 'startMs') {
  const stderrTail = output.split('\n').filter(line => line.trim());
  const exit = { code, signal: null };
  return explain(new Error(), { definition: definition!, action: phrase('start'), limit, exit, stderrTail });
}

/** What programs really print, with the cause that the reason begins with. */
const OUTPUTS: Record<string, [output: string, cause: string, code?: string]> = {
  'npm, a package that does not exist': [
    `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/@acme%2fno-such-server
npm error 404
npm error 404  The requested resource '@acme/no-such-server@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-29T09_15_28_264Z-debug-0.log`,
    'npm has no package @acme/no-such-server',
    'PACKAGE_NOT_FOUND',
  ],
  'npm 10, a package that does not exist': [
    `npm ERR! code E404
npm ERR! 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found
npm ERR! 404  'no-such-server@*' is not in this registry.`,
    'npm has no package no-such-server',
    'PACKAGE_NOT_FOUND',
  ],
  'npm, a version that does not exist': [
    `npm error code ETARGET
npm error notarget No matching version found for left-pad@99.0.0.
npm error notarget In most cases you or one of your dependencies are requesting
npm error notarget a package version that doesn't exist.`,
    'npm has no package left-pad@99.0.0',
    'PACKAGE_NOT_FOUND',
  ],
  'npm, a package that is no program': [
    'npm error could not determine executable to run',
    'its package has no command that npx can run',
  ],
  'npm, no connection': [
    `npm error code ECONNREFUSED
npm error syscall connect
npm error errno ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/left-pad failed, reason: connect ECONNREFUSED 127.0.0.1:9
npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/index.js:130:14)
npm error   code: 'ECONNREFUSED',
npm error If you are behind a proxy, please make sure that the 'proxy' config is set properly.  See: 'npm help config'`,
    'npm could not reach http://127.0.0.1:9/left-pad (connect ECONNREFUSED 127.0.0.1:9)',
  ],
  'uv, a package that does not exist': [
    `  × No solution found when resolving tool dependencies:
  ╰─▶ Because no-such-server was not found in the package registry and you require no-such-server, we can conclude that your requirements are unsatisfiable.`,
    'PyPI has no package no-such-server',
    'PACKAGE_NOT_FOUND',
  ],
  'Docker, which does not run': [
    `docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?
Run 'docker run --help' for more information`,
    'Docker is not running',
  ],
  'Docker 29, which does not run': [
    'failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is correct and if the daemon is running: dial unix /var/run/docker.sock: connect: no such file or directory',
    'Docker is not running',
  ],
  'Docker, an image that does not exist': [
    `Unable to find image 'acme/none:latest' locally
docker: Error response from daemon: pull access denied for acme/none, repository does not exist or may require 'docker login'

Run 'docker run --help' for more information`,
    'the image acme/none does not exist, or is private',
    'PACKAGE_NOT_FOUND',
  ],
  'Python, a module that is missing': [
    `Traceback (most recent call last):
  File "/srv/server.py", line 1, in <module>
    import mcp
ModuleNotFoundError: No module named 'mcp'`,
    'the Python module mcp is not installed',
    'NOT_INSTALLED',
  ],
  'Python -m': [
    '/usr/bin/python3: No module named mcp_server',
    'the Python module mcp_server is not installed',
    'NOT_INSTALLED',
  ],
  'uvicorn, a port in use': [
    `ERROR:    [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use`,
    'port 8000 is already in use',
  ],
  'Python, a port in use': ['OSError: [Errno 98] Address already in use', 'its port is already in use'],
  'env, a command that is missing': ['env: ‘node’: No such file or directory', 'command not found: node'],
};

describe('known causes', () => {
  for (const [what, [output, cause, code = 'EXITED']] of Object.entries(OUTPUTS))
    it(`come first in the reason, with the exit code behind and a remedy of their own: ${what}`, () => {
      const error = failure(output);
      assert.equal(error.code, code);
      assert.equal(error.reason, `${cause} (its process exited with code 1)`);
      assert.ok(error.remedy, 'has a remedy');
      assert.doesNotMatch(error.remedy, /arguments and environment/);
      assert.notEqual(error.stderrTail.length, 0);
    });

  it('are recognised in the output of real programs', async () => {
    const outputOf = async (command: string, ...args: string[]) => {
      const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      const ended = new Promise<number | null>(resolve => child.once('close', resolve));
      let output = '';
      child.stderr.setEncoding('utf8').on('data', part => {
        output += part;
      });
      const code = await ended;
      return failure(output, code ?? 1);
    };
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const listen = `require('node:net').createServer().listen(${port}, '127.0.0.1')`;
    assert.match(
      (await outputOf(process.execPath, '-e', listen)).reason,
      new RegExp(`^port ${port} is already in use`),
    );
    server.close();
    if (process.platform === 'win32') return;
    assert.match((await outputOf('sh', '-c', 'no-such-server --stdio')).reason, /^command not found: no-such-server/);
    assert.match((await outputOf('bash', '-c', 'no-such-server')).reason, /^command not found: no-such-server/);
  });

  it('leave what a program says in its own words, and then say to check its entry', () => {
    const error = failure('Error: GITHUB_TOKEN is required');
    assert.equal(error.reason, 'Error: GITHUB_TOKEN is required (its process exited with code 1)');
    assert.equal(error.remedy, 'Check its arguments and environment, then start it again.');
  });

  it('are not searched for after the start, when its entry has been right', () => {
    const error = failure("ModuleNotFoundError: No module named 'late'", 1, 'toolCallMs');
    assert.match(error.reason, /^ModuleNotFoundError: No module named 'late' \(/);
    assert.equal(
      error.remedy,
      'Its full output is in the log. The call may have been carried out anyway, so check before you run it again.',
    );
  });

  it('end in one mark', () => {
    const error = explain(new Error('Really?'), { definition: definition!, action: phrase('start') });
    assert.match(error.message, /could not start: Really\? The log/);
  });
});
