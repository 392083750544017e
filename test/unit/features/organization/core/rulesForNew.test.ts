import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import type { EditorAccess } from '../../../../../src/features/organization/core/editorPolicies';
import { Organization } from '../../../../../src/features/organization/core/organization';
import * as admission from '../../../../../src/features/organization/core/organizationRules';
import { rulesForNew } from '../../../../../src/features/organization/core/organizationRules';
import { itsServer } from '../../../../setup/itsServer';
import { temporaryFolder } from '../../../../setup/paths';

describe('the rules for servers that are not configured yet', () => {
  let folder: string;
  let access: EditorAccess;
  let organization: Organization;
  beforeEach(() => {
    folder = temporaryFolder();
    access = 'all';
    const file = (name: string) => join(folder, name);
    organization = new Organization({
      places: {
        files: {
          own: file('own.json'),
          copilot: file('copilot.json'),
          claudeCode: file('claude.json'),
          claudeCodeServers: '',
        },
        owner: process.getuid?.(),
      },
      watchMs: 60_000,
      editor: () => ({ access }),
      list: async () => [],
      admission: () => admission,
    });
  });
  afterEach(() => {
    organization.dispose();
  });

  const write = (value: unknown) =>
    writeFileSync(join(folder, 'own.json'), typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o644 });
  const { definition } = itsServer;
  /** What is said about the fixture server. */
  async function refusal(of = definition): Promise<string[] | undefined> {
    const refused = (await rulesForNew(organization))?.refusalOf(of);
    return refused && [refused.reason, refused.remedy].map(english);
  }

  it('are none where there is no organization', async () => {
    assert.equal(await rulesForNew(organization), undefined);
  });

  it('name the registry that is to be searched', async () => {
    write({ registry: 'https://registry.corp.example/mcp' });
    assert.equal((await rulesForNew(organization))?.registry, 'https://registry.corp.example/mcp');
    assert.equal(await refusal(), undefined);
  });

  it('say by which rule a server would be refused, and what to do', async () => {
    write({ deniedMcpServers: [{ serverName: definition.name }] });
    const [reason, remedy] = (await refusal()) ?? assert.fail('not refused');
    assert.match(reason ?? '', /denies it by the rule/);
    assert.equal(remedy, 'Ask your administrator to allow it.');
    write({ deniedMcpServers: [{ serverName: definition.name }], refusal: { text: 'Ask the platform team.' } });
    assert.equal((await refusal())?.[1], 'Ask the platform team.');
  });

  it('leave open what depends on inputs, unless it is denied', async () => {
    const at = (...path: (string | number)[]) => ({ definitions: [], places: [{ id: 'x', path, index: 0 }] });
    const inputs = at('args', 0);
    write({ allowedMcpServers: [] });
    assert.match((await refusal())?.[0] ?? '', /allows only servers/);
    assert.equal(await refusal({ ...definition, inputs }), undefined);
    assert.match((await refusal({ ...definition, inputs: at('env', 'TOKEN') }))?.[0] ?? '', /allows only servers/);
    write({ deniedMcpServers: [{ serverName: definition.name }] });
    assert.match((await refusal({ ...definition, inputs }))?.[0] ?? '', /denies it/);
  });

  it('refuse everything when the file is broken or the editor allows nothing', async () => {
    write('{');
    assert.match((await refusal())?.[0] ?? '', /are not accepted, so they refuse every server/);
    rmSync(join(folder, 'own.json'));
    access = 'none';
    assert.match((await refusal())?.[0] ?? '', /allows no MCP servers/);
  });
});
