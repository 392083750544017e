import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { type ListedLaunch, notListed } from '../../../../../src/features/organization/core/serverRules';
import type { ServerEntry } from '../../../../../src/host/settings';
import { itsServer } from '../../../../setup/itsServer';

const address = 'https://registry.example';

function said(listed: ListedLaunch, launched: object): string {
  const entry = { ...itsServer.definition.entry!, ...launched } as ServerEntry;
  const refused = notListed({ address, listed: [listed] }, { entry }, true);
  return refused ? english(refused) : 'may start';
}
const npx = (...args: string[]) => ({ command: 'npx', args });
const http = (url: string) => ({ type: 'http', url, headers: {} });

describe('a server of the registry', () => {
  it('is the package with its version and arguments, whatever its name is @registryRule.package-version-arguments', () => {
    const listed = npx('-y', 'pkg@1.0.0', '--root', 'a');
    assert.equal(said(listed, npx('-y', 'pkg@1.0.0', '--root', 'a')), 'may start');
    for (const other of [
      npx('-y', 'pkg@1.0.1', '--root', 'a'),
      npx('-y', 'pkg', '--root', 'a'),
      npx('-y', 'evil@1.0.0', '--root', 'a'),
      npx('-y', 'pkg@1.0.0', '--root', 'b'),
      npx('-y', '-p', 'evil', 'pkg@1.0.0', '--root', 'a'),
      { command: './npx', args: ['-y', 'pkg@1.0.0', '--root', 'a'] },
      { command: 'sh', args: ['-c', 'npx -y pkg@1.0.0 --root a'] },
      http('https://pkg.example/'),
    ])
      assert.match(said(listed, other), /lists none with this command or address/, JSON.stringify(other));
  });

  it('takes what a person fills in, but no other package in its place', () => {
    const filled = npx('-y', 'pkg@1.0.0', '--root=${input:root}', '${input:more}');
    assert.equal(said(filled, npx('-y', 'pkg@1.0.0', '--root=/srv', 'x y')), 'may start');
    assert.match(said(filled, npx('-y', 'pkg@1.0.0', '--other=/srv', 'x')), /lists none/);
    const before = npx('-y', '${input:option}', 'pkg@1.0.0');
    for (const option of ['evil', '--package=evil', '-q'])
      assert.match(said(before, npx('-y', option, 'pkg@1.0.0')), /lists none/, option);
  });

  it('does not run with variables that change what it runs', () => {
    const listed = npx('-y', 'pkg@1.0.0');
    assert.equal(said(listed, { ...listed, env: { TOKEN: 'x' } }), 'may start');
    assert.match(said(listed, { ...listed, env: { NODE_OPTIONS: '-r x' } }), /not with the variable NODE_OPTIONS/);
    assert.match(said(listed, { ...listed, envFile: '/w/.env' }), /"envFile"/);
  });

  it('is at its address, with what a person fills in within a host or a path', () => {
    assert.equal(said({ url: 'https://mcp.example/mcp' }, http('HTTPS://MCP.Example:443/mcp')), 'may start');
    assert.equal(said({ url: 'https://${input:team}.mcp.example/x' }, http('https://a.mcp.example/x')), 'may start');
    for (const [listed, other] of [
      ['https://mcp.example/mcp', 'https://mcp.example.evil.example/mcp'],
      ['https://mcp.example/mcp', 'https://me:secret@mcp.example/mcp'],
      ['https://mcp.example/mcp', 'http://mcp.example/mcp'],
      ['https://${input:host}/mcp', 'https://evil.example/mcp'],
      ['https://*/mcp', 'https://evil.example/mcp'],
      ['https://*.mcp.example/x', 'https://a.mcp.example/x'],
    ] as const)
      assert.match(said({ url: listed }, http(other)), /lists none/, listed);
  });

  it('is not known before inputs are filled in, nor without a registry', () => {
    const { entry } = itsServer.definition;
    const launch = { entry: entry! };
    assert.equal(notListed({ address, listed: [] }, launch, false), undefined);
    const nameless = notListed({ address: undefined, listed: [] }, launch, false);
    assert.match(english(nameless!), /neither "chat\.mcp\.gallery\.serviceUrl" nor your organization names one/);
  });
});
