import * as assert from 'node:assert/strict';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { since } from '../setup/since';

describe('a fresh window with the packaged extension', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
  });
  after(() => w?.close());

  it('activates the extension soon after it opened', async () => {
    await w.host.until(vscode => vscode.extensions.getExtension('mcp-host.mcp-host')?.isActive);
  });

  it('shows the container "MCP" in the activity bar', async () => {
    await w.wb.viewContainer('MCP');
    await w.picture('container');
  });

  since('language models of extensions').it('has the scripted models for chat requests', async () => {
    await eventually(async () => {
      const models = await w.host.eval(async vscode =>
        (await vscode.lm.selectChatModels({ vendor: 'demo' })).map(m => m.name),
      );
      assert.deepEqual(models, ['Demo Model', 'Demo Vision', 'Demo Small']);
    });
  });
});
