import assert from 'node:assert/strict';
import { meaningsOf, textOfLink } from '../../../../../src/features/setup/core/textMeanings';
import { lines, npx } from './meaningLines';

describe('meaningsOf', () => {
  const meant: [text: string, ...expected: string[]][] = [
    ['https://mcp.notion.com/mcp', 'url notion {"url":"https://mcp.notion.com/mcp"}'],
    ['<https://mcp.notion.com/mcp>', 'url notion {"url":"https://mcp.notion.com/mcp"}'],
    ['localhost:3000/mcp', 'url localhost-3000 {"url":"http://localhost:3000/mcp"}'],
    ['unix:///run/notes.sock#/mcp', 'url notes {"url":"unix:///run/notes.sock#/mcp"}'],
    ['https://', 'unreadable Enter an address that starts with https:// or http://.'],
    ['npx -y @scope/server-x --a "b c"', `command x ${npx('-y', '@scope/server-x', '--a', 'b c')}`],
    ['https://example.com/a/weather.mcpb?download=1', 'bundle https://example.com/a/weather.mcpb?download=1'],
    ['"/home/me/my files/weather.MCPB"', 'bundle /home/me/my files/weather.MCPB'],
    ['C:\\Users\\me\\weather.dxt', 'bundle C:\\Users\\me\\weather.dxt'],
    ['$ npx \\\n  -y \\\n  foo-mcp', `command foo ${npx('-y', 'foo-mcp')}`],
    ['npx \\  -y \\  foo-mcp', `command foo ${npx('-y', 'foo-mcp')}`],
    ['npx -y', 'unreadable Add what it should run: a package, an image or a script.'],
    ['docker run -i --rm ', 'unreadable Add what it should run: a package, an image or a script.'],
    ['A=1 B="two words" npx foo', 'command foo {"command":"npx","args":["foo"],"env":{"A":"1","B":"two words"}}'],
    ['env A=1 npx foo', 'command foo {"command":"npx","args":["foo"],"env":{"A":"1"}}'],
    [
      'cd ~/weather && uv run server.py',
      'command weather {"command":"uv","args":["run","server.py"],"cwd":"${userHome}/weather"}',
    ],
    [
      'docker run -v $HOME:/h -e T=$TOKEN mcp/x',
      'command x {"command":"docker","args":["run","-v","${userHome}:/h","-e","T=${env:TOKEN}","mcp/x"]}',
    ],
    ["sh -c 'echo $HOME'", 'command sh {"command":"sh","args":["-c","echo $HOME"]}'],
    ['C:\\Program Files\\x\\run.exe --a', 'command x {"command":"C:\\\\Program Files\\\\x\\\\run.exe","args":["--a"]}'],
    [
      'claude mcp add --transport sse linear https://mcp.linear.app/sse --header "X: y"',
      'url linear {"url":"https://mcp.linear.app/sse","headers":{"X":"y"}}',
    ],
    [
      'claude mcp add gh -e A=1 B=2 -- npx -y x --verbose',
      'command gh {"command":"npx","args":["-y","x","--verbose"],"env":{"A":"1","B":"2"}}',
    ],
    ['codex mcp add docs --url https://x.example/mcp', 'url docs {"url":"https://x.example/mcp"}'],
    [`claude mcp add-json w '{"command":"/x/y"}'`, 'command w {"command":"/x/y"}'],
    [`code --add-mcp '{"name":"time","command":"uvx","args":["t"]}'`, 'command time {"command":"uvx","args":["t"]}'],
    ['npm install -g @x/y-mcp', `npm y ${npx('-y', '@x/y-mcp')}`],
    ['pip install mcp-server-git', 'python git {"command":"uvx","args":["mcp-server-git"]}'],
    ['docker pull mcp/time', 'image time {"command":"docker","args":["run","-i","--rm","mcp/time"]}'],
    ['{"mcpServers":{"a":{"command":"npx @p/q"}}}', `json a ${npx('@p/q')}`],
    ['{"a":{"command":"x"},"b":{"url":"https://b.example"}}', 'several a,b'],
    // As a README has it: a part of `servers`, in a fence or not, and its TOML.
    [
      '{"github": {"url": "https://mcp.example/", "headers": {"Authorization": "Bearer ${input:x}"}}}',
      'json github {"url":"https://mcp.example/","headers":{"Authorization":"Bearer ${input:x}"}}',
    ],
    ['Add this:\n\n```json\n{ "a": { "command": "npx", "args": ["p"] } }\n```\n\nDone.', `json a ${npx('p')}`],
    ['```toml\n[mcp_servers.docs]\nurl = "https://x.example/mcp"\n```', 'json docs {"url":"https://x.example/mcp"}'],
    [
      '[mcp_servers.a]\ncommand = "npx"\nargs = ["p"]\n\n[mcp_servers.b]\nurl = "https://x.example/mcp"\n',
      'several a,b',
    ],
    ['{"mcpServers":', 'unreadable This JSON cannot be read: a value is missing in line 1.'],
    ['{"a":1}', 'unreadable No MCP server in a known format was found in this text.'],
  ];
  for (const [text, ...expected] of meant) it(text, () => assert.deepEqual(lines(text), expected));

  const guessed: [text: string, ...kinds: string[]][] = [
    ['@playwright/mcp@latest', 'npm', 'registry', 'command'],
    ['mcp-server-time', 'python', 'npm', 'registry', 'command'],
    ['mcp_weather==1.2', 'python', 'registry', 'command'],
    ['ghcr.io/github/github-mcp-server:v1', 'image', 'url'],
    ['mcp/time', 'image', 'registry', 'command'],
    ['mcp.example.com/mcp', 'url', 'image'],
    ['time', 'registry', 'command', 'npm', 'python'],
    ['github', 'registry', 'command', 'npm', 'python'],
    ['brave-search', 'registry', 'command', 'npm', 'python'],
    ['github issues', 'registry', 'command'],
    ['notes-server --stdio', 'command', 'registry'],
    ['https://github.com/upstash/context7', 'registry', 'url'],
    ['https://www.npmjs.com/package/@upstash/context7-mcp', 'npm', 'url'],
    ['https://pypi.org/project/mcp-server-git/', 'python', 'url'],
    ['https://hub.docker.com/r/mcp/time', 'image', 'url'],
    ['…', 'registry', 'command'],
  ];
  for (const [text, ...kinds] of guessed) {
    it(`reads ${text} in several ways, the likeliest first`, () =>
      assert.deepEqual(
        meaningsOf(text).map(({ kind }) => kind),
        kinds,
      ));
  }

  it('is empty only for an empty text, however it is cut short', () => {
    assert.deepEqual([meaningsOf(''), meaningsOf(' \n')], [[], []]);
    const texts = [...meant, ...guessed].map(([text]) => text);
    for (const text of texts) {
      for (let end = 1; end <= text.length; end++) {
        const part = text.slice(0, end);
        assert.ok(part.trim() === '' || meaningsOf(part).length > 0, part);
      }
    }
  });

  it('reads in bounded time, however long the text @textMeanings.reads-bounded-time', () => {
    for (const part of ['a', ' ', '<', '{', '$', '\\ ', '=', '@', '/', 'x=<', '"a" '])
      assert.ok(meaningsOf(`x${part.repeat(100_000)}`).length > 0, part);
    const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const config = encodeURIComponent(`{"command":"x","args":${nested}}`);
    assert.ok(meaningsOf(`vscode:mcp/install?name=a&config=${config}`).length > 0);
  });
});

describe('links that install a server', () => {
  const config = { command: 'npx', args: ['-y', 'a&b'] };
  const json = encodeURIComponent(JSON.stringify(config));
  const base64 = encodeURIComponent(Buffer.from(JSON.stringify(config)).toString('base64'));
  const named = encodeURIComponent(JSON.stringify({ name: 'it', ...config }));
  const expected = `link it ${npx('-y', 'a&b')}`;
  for (const link of [
    `vscode:mcp/install?${named}`,
    `vscode-insiders:mcp/install?${named}`,
    `https://insiders.vscode.dev/redirect/mcp/install?name=it&config=${json}`,
    `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${named}`)}`,
    `cursor://anysphere.cursor-deeplink/mcp/install?name=it&config=${base64}`,
    `https://cursor.com/install-mcp?name=it&config=${base64}`,
    `lmstudio://add_mcp?name=it&config=${base64}`,
  ]) {
    it(link.slice(0, 50), () => assert.deepEqual(lines(link), [expected]));
  }

  it('are read without arguments that are null', () => {
    const odd = encodeURIComponent(JSON.stringify({ name: 'it', command: 'npx', args: ['-y', null, 'a&b', null] }));
    assert.deepEqual(lines(`vscode:mcp/install?${odd}`), [expected]);
  });

  it('import their inputs', () => {
    const link = `vscode:mcp/install?${encodeURIComponent(
      JSON.stringify({
        ...{ name: 'x', command: 'y', env: { KEY: '${input:key}' } },
        inputs: [{ type: 'promptString', id: 'key', password: true }],
      }),
    )}`;
    const [meaning] = meaningsOf(link);
    assert.ok(meaning && 'draft' in meaning);
    assert.deepEqual(meaning.draft.inputs, [{ type: 'promptString', id: 'key', password: true }]);
  });

  it('that are foreign, malformed or self-referential are ignored @textMeanings.foreign-malformed-self', () => {
    assert.deepEqual(lines('https://x.example/redirect?url=1'), ['url x {"url":"https://x.example/redirect?url=1"}']);
    assert.equal(
      meaningsOf('vscode:mcp/install?%7Bbroken').some(({ kind }) => kind === 'link'),
      false,
    );
    let link = 'https://x.example/redirect';
    for (let n = 0; n < 20; n++) link = `https://x.example/redirect?url=${encodeURIComponent(link)}`.slice(0, 5_000);
    assert.ok(meaningsOf(link).every(({ kind }) => kind === 'url'));
  });

  it('to this extension contain a text, or an entry as JSON or in base64', () => {
    const text = JSON.stringify({ servers: { it: config } });
    assert.equal(textOfLink('text=npx -y x&y=1'), 'npx -y x&y=1');
    for (const query of [
      `name=it&config=${JSON.stringify(config)}`,
      `config=${JSON.stringify(config)}&name=it`,
      `name=it&config=${decodeURIComponent(base64)}`,
    ])
      assert.equal(textOfLink(query), text, query);
    assert.equal(textOfLink('config=nonsense'), 'nonsense');
    assert.equal(textOfLink(''), '');
  });
});
