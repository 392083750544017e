import assert from 'node:assert/strict';
import { tellingLine } from '../../../../src/host/connection/explainProgram';

/** What programs really print when they fail, without empty lines, and what is to be told of it. */
const OUTPUTS: Record<string, [output: string, told: string]> = {
  'Node.js, a module that is missing': [
    `node:internal/modules/cjs/loader:1228
  throw err;
  ^
Error: Cannot find module '/srv/build/index.js'
    at Function._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}
Node.js v22.12.0`,
    "Error: Cannot find module '/srv/build/index.js'",
  ],
  'Node.js, its own error, then a link': [
    `file:///srv/index.js:3
throw new Error('no token');
      ^
Error: no token
    at file:///srv/index.js:3:7
  [cause]: TypeError: fetch failed
      at node:internal/deps/undici/undici:13510:13
Docs: https://example.com/errors/no-token
Node.js v22.12.0`,
    'Error: no token',
  ],
  'Node.js, no connection': [
    `node:internal/deps/undici/undici:14976
      Error.captureStackTrace(err);
            ^
TypeError: fetch failed
    at node:internal/deps/undici/undici:14976:13
    at async list (file:///srv/index.mjs:1378:10) {
  [cause]: Error: getaddrinfo ENOTFOUND example.com
      at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26) {
    errno: -3008,
    code: 'ENOTFOUND'
  }
}
Node.js v20.20.2`,
    'TypeError: fetch failed: Error: getaddrinfo ENOTFOUND example.com',
  ],
  'a command line without its subcommand': [
    `USAGE
  tool start [--port value]
  tool --help
FLAGS
  -h --help  Print help information and exit
COMMANDS
  start  Run the server`,
    'USAGE tool start [--port value]',
  ],
  'Node.js, caught in main': [
    `Server starting
Fatal error in main(): TypeError: Invalid URL
    at new URL (node:internal/url:816:29)
    at main (file:///srv/index.js:3:3) {
  code: 'ERR_INVALID_URL',
  input: 'nonsense'
}`,
    'Fatal error in main(): TypeError: Invalid URL',
  ],
  'Node.js, variables that a schema refuses': [
    `ZodError: [
  {
    "code": "invalid_type",
    "message": "Required"
  }
]
    at Object.get error [as error] (/srv/node_modules/zod/lib/types.js:39:31)
Node.js v20.18.1`,
    'ZodError: [ { "code": "invalid_type", "message": "Required"',
  ],
  'Node.js, in words, with a remark of the runtime': [
    `GITHUB_TOKEN is required
Run with --help to see what is required
(node:7) [DEP0040] DeprecationWarning: The \`punycode\` module is deprecated.
(Use \`node --trace-deprecation ...\` to show where the warning was created)`,
    'GITHUB_TOKEN is required',
  ],
  'Node.js, a logger that writes JSON': [
    `{"level":30,"time":1,"msg":"starting"}
{"level":60,"time":2,"msg":"no database at localhost:5432"}
{"level":30,"time":3,"msg":"error reporting is off"}`,
    'no database at localhost:5432',
  ],
  'npm, a package that does not exist': [
    `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found
npm error 404
npm error 404  'no-such-server@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-27-debug-0.log`,
    'npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found',
  ],
  'Python, a module that is missing': [
    `Traceback (most recent call last):
  File "/srv/server.py", line 1, in <module>
    import mcp
ModuleNotFoundError: No module named 'mcp'`,
    "ModuleNotFoundError: No module named 'mcp'",
  ],
  'Python, one exception after another': [
    `Traceback (most recent call last):
  File "/srv/server.py", line 3, in <module>
    key = os.environ["API_KEY"]
KeyError: 'API_KEY'
During handling of the above exception, another exception occurred:
Traceback (most recent call last):
  File "/srv/server.py", line 5, in <module>
    raise RuntimeError("set API_KEY")
RuntimeError: set API_KEY
Documentation: https://example.com/errors`,
    'RuntimeError: set API_KEY',
  ],
  'Python, a group of exceptions': [
    `  + Exception Group Traceback (most recent call last):
  |   File "/srv/server.py", line 9, in <module>
  |     anyio.run(main)
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/server.py", line 5, in main
    |     raise ValueError("bad port")
    | ValueError: bad port
    +------------------------------------`,
    'ValueError: bad port',
  ],
  'Python, settings that pydantic refuses': [
    `Traceback (most recent call last):
  File "/srv/server.py", line 8, in <module>
    Settings()
pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings
api_key
  Field required [type=missing, input_value={}, input_type=dict]
    For further information visit https://errors.pydantic.dev/2.10/v/missing`,
    'pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings api_key',
  ],
  'Python, arguments': [
    `usage: server.py [-h] --token TOKEN
server.py: error: the following arguments are required: --token`,
    'server.py: error: the following arguments are required: --token',
  ],
  'Python, a module by its name': [
    '/usr/bin/python3: No module named mcp_server',
    '/usr/bin/python3: No module named mcp_server',
  ],
  'Python, its logger': [
    `INFO:server:reading the error pages
ERROR:server:port 8000 is in use
INFO:server:bye`,
    'ERROR:server:port 8000 is in use',
  ],
  'uv, a package that does not exist': [
    `  × No solution found when resolving tool dependencies:
  ╰─▶ Because no-such-server was not found in the package registry and you require no-such-server, we can conclude that your requirements are unsatisfiable.`,
    '× No solution found when resolving tool dependencies: ╰─▶ Because no-such-server was not found in the package registry and you require no-such-server, we can conclude that your requirements are unsatisfiable.',
  ],
  'Go, a panic': [
    `panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a1b2c]
goroutine 1 [running]:
main.main()
\t/srv/main.go:9 +0x1c
exit status 2`,
    'panic: runtime error: invalid memory address or nil pointer dereference',
  ],
  'Go, log.Fatal': [
    `2026/11/27 19:00:00 listening
2026/11/27 19:00:01 TOKEN is not set
exit status 1`,
    '2026/11/27 19:00:01 TOKEN is not set',
  ],
  'Go, slog': [
    `time=2026-11-27T19:00:00Z level=INFO msg="no error so far"
time=2026-11-27T19:00:01Z level=ERROR msg="dial tcp 127.0.0.1:5432: connect: connection refused"`,
    'time=2026-11-27T19:00:01Z level=ERROR msg="dial tcp 127.0.0.1:5432: connect: connection refused"',
  ],
  'Rust, a panic': [
    `thread 'main' (4711) panicked at src/main.rs:4:42:
TOKEN must be set: NotPresent
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
    "thread 'main' (4711) panicked at src/main.rs:4:42: TOKEN must be set: NotPresent",
  ],
  'Rust, a panic of an older compiler': [
    `thread 'main' panicked at 'no token', src/main.rs:4:5
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b431/library/std/src/panicking.rs:665:5`,
    "thread 'main' panicked at 'no token', src/main.rs:4:5",
  ],
  'Rust, an error that main returns': [
    `Error: could not read the configuration
Caused by:
    No such file or directory (os error 2)`,
    'Error: could not read the configuration',
  ],
  'Rust, arguments': [
    `error: the following required arguments were not provided:
  --token <TOKEN>
Usage: server --token <TOKEN>
For more information, try '--help'.`,
    'error: the following required arguments were not provided: --token <TOKEN>',
  ],
  '.NET, an exception': [
    `Unhandled exception. System.InvalidOperationException: no token
 ---> System.IO.IOException: inner
   at Program.Load() in /srv/Program.cs:line 4
   --- End of inner exception stack trace ---
   at Program.<Main>$(String[] args) in /srv/Program.cs:line 1`,
    'Unhandled exception. System.InvalidOperationException: no token',
  ],
  '.NET, its logger': [
    `info: Microsoft.Hosting.Lifetime[0]
      Application is shutting down...
fail: Microsoft.Extensions.Hosting.Internal.Host[11]
      Hosting failed to start`,
    'fail: Microsoft.Extensions.Hosting.Internal.Host[11] Hosting failed to start',
  ],
  '.NET, a runtime that is missing': [
    `You must install or update .NET to run this application.
App: /srv/server
Architecture: x64
Framework: 'Microsoft.NETCore.App', version '9.0.0' (x64)
Learn more:
https://aka.ms/dotnet/app-launch-failed`,
    'You must install or update .NET to run this application.',
  ],
  'Java, an exception': [
    `Exception in thread "main" java.lang.IllegalStateException: no token
\tat Main.main(Main.java:3)
Caused by: java.io.IOException: inner
\t... 1 more`,
    'Exception in thread "main" java.lang.IllegalStateException: no token',
  ],
  'Java, a class for a newer version': [
    `Error: A JNI error has occurred, please check your installation and try again
Exception in thread "main" java.lang.UnsupportedClassVersionError: Main has been compiled by a more recent version
\tat java.lang.ClassLoader.defineClass1(Native Method)`,
    'Exception in thread "main" java.lang.UnsupportedClassVersionError: Main has been compiled by a more recent version',
  ],
  'Java, a file that is missing': [
    'Error: Unable to access jarfile server.jar',
    'Error: Unable to access jarfile server.jar',
  ],
  'Java, Spring': [
    `2026-11-27 19:00:00.000  INFO 1 --- [main] c.e.Server : Starting Server
2026-11-27 19:00:01.000 ERROR 1 --- [main] o.s.b.SpringApplication : Application run failed
org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'db'
\tat org.springframework.Factory.create(Factory.java:1)`,
    "org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'db'",
  ],
  'a program that says nothing of an error': ['one\ntwo\n  https://example.com/errors', 'two'],
};

describe('the line that says what went wrong', () => {
  for (const [what, [output, told]] of Object.entries(OUTPUTS))
    it(`is found in the output of ${what}`, () => {
      const lines = output.split('\n');
      const found = tellingLine(lines) ?? assert.fail('none');
      assert.equal(found.text, told);
      assert.ok(lines[found.at], `line ${found.at}`);
    });

  it('is missing where nothing is said', () => {
    assert.equal(tellingLine([]), undefined);
    assert.equal(tellingLine(['    at main (/srv/index.js:3:3)', '}', 'Node.js v22.12.0']), undefined);
  });

  it('is found in time that grows with the length of a line', () => {
    const lines = ['a'.repeat(100_000), '|'.repeat(100_000), `${'a.'.repeat(50_000)}!`, 'see '.repeat(30_000)];
    assert.ok(tellingLine(lines));
  });
});
