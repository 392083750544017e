import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireOnDemand } from '../../../setup/onDemand';
import { temporaryFolder } from '../../../setup/paths';
import { TestHost } from '../testHost';

/** Programs on the official SDKs of other languages: what each does with `initialize` behind `server/discover` differs. */
const SERVERS = [
  {
    sdk: 'go-sdk 1.8, which refuses it',
    file: 'kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64',
    args: [],
    era: 'modern',
  },
  {
    sdk: 'rmcp 2.2, which ends on server/discover',
    file: '@onshape-mcp/linux-x64/bin/onshape-mcp',
    args: [],
    era: 'legacy',
  },
  { sdk: 'rmcp 3.4, which accepts both', file: '@jdxcode/mise-linux-x64/bin/mise', args: ['mcp'], era: 'modern' },
  {
    sdk: 'the C# SDK 2.1, which accepts both',
    file: '@microsoft/fabric-mcp-linux-x64/dist/fabmcp',
    args: ['server', 'start'],
    era: 'modern',
  },
] as const;

/** A cluster that is never reached. */
const KUBECONFIG = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'none',
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: '' } }],
});

describe('a program that needs long to start', () => {
  let folder: NodeJS.Require;
  before(async function () {
    if (process.platform !== 'linux' || process.arch !== 'x64') this.skip();
    this.timeout(900_000);
    folder = await requireOnDemand('slow');
  });

  for (const seconds of [9, 25]) {
    for (const { sdk, file, args, era } of SERVERS) {
      it(`is in its era after ${seconds} s, on ${sdk}`, async function () {
        this.timeout(180_000);
        await using test = new TestHost();
        const config = join(temporaryFolder(), 'config');
        const script = `echo starting >&2; sleep ${seconds}; exec "$@"`;
        writeFileSync(config, KUBECONFIG);
        const env = {
          KUBECONFIG: config,
          ONSHAPE_ACCESS_KEY: 'x',
          ONSHAPE_SECRET_KEY: 'x',
          MISE_EXPERIMENTAL: '1',
        };
        test.configure({ one: { command: '/bin/sh', args: ['-c', script, 'sh', folder.resolve(file), ...args], env } });
        const { info } = await test.reaches('one', 'ready');
        assert.equal(info.era, era);
        const starts = test.logs.filter(({ source, data }) => source === 'stderr' && data === 'starting');
        assert.equal(starts.length, era === 'modern' ? 1 : 2);
      });
    }
  }
});
