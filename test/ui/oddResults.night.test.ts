import * as assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { answersNamed, said } from '../drivers/chat';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';

describe('partly invalid or restricted results in chat', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({
      viewport: { width: 1500, height: 950 },
      workspace: 'editor',
      settings: {
        'mcpHost.servers': {
          odd: { command: process.execPath, args: [fixturePath('hostile'), '--odd-results'] },
          schemas: { command: process.execPath, args: [fixturePath('oddSchemas')] },
        },
      },
    });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
  });
  after(() => w?.close());

  const says = (response: Locator, pattern: RegExp) =>
    waitFor(async () => pattern.test(await said(response)), { what: () => `${pattern}` });
  const allow = (response: Locator, question = 1) =>
    response
      .getByRole('button', { name: 'Allow', exact: true })
      .nth(question - 1)
      .click();

  it('are shown with what is invalid, and the model gets both', async () => {
    const response = await w.wb.chat.send('@mcp call odd__mismatched {}');
    await allow(response);
    await says(response, /The tool answered: The tool was carried out, but .*mismatched has done it.*no number/s);
    const marked = /The tool was carried out, but its structured content does not fit its output schema/g;
    await eventually(async () =>
      assert.equal([...(await said(response)).matchAll(marked)].length, 2, 'once for the person, once for the model'),
    );
    await w.picture('chat-odd-result');
  });

  it('are kept from the model where they are for the person only, or of an unknown type', async () => {
    const response = await w.wb.chat.send('@mcp call odd__for-person {} then call odd__unknown-content {}');
    await allow(response);
    await allow(response, 2);
    await says(response, /beside it/);
    await eventually(async () => {
      const text = await said(response);
      assert.match(text, /\[content that the server meant for the user only\].*for the model/s);
      assert.match(text, /\[content of unknown type "hologram"\]/);
      assert.doesNotMatch(text, /for the person alone/);
    });
  });

  it('come from tools with odd schemas, too, which get arguments that their server understands', async () => {
    const tools = await w.wb.chat.ask('@mcp /tools');
    await says(tools, /Tools that cannot be offered to models.*too_large.*larger than 32 KB/s);
    const calls = 'call schemas__nested_arrays {"rows": [[1, "a"]]} then call schemas__odd_names {"filter_id": "x"}';
    const response = await w.wb.chat.send(`@mcp ${calls} then call schemas__odd_names {"a_space": 1}`);
    await allow(response);
    await allow(response, 2);
    await says(response, /"rows":\[\[1,"a"\]\].*"filter\[id\]":"x".*was not called: .*filter\[id\] is required/s);
    await w.picture('chat-odd-schemas');
  });

  it('link to resources, which the model may read if the person allows it @oddResults.link-resources-model', async () => {
    const before = await w.wb.chat.ask('@mcp use tools');
    await eventually(async () => {
      const text = await said(before);
      assert.match(text, /odd__linked/);
      assert.doesNotMatch(text, /mcp_read_resource/);
    });
    const read = (uri: string) => `call mcp_read_resource {"server": "odd", "uri": "${uri}"}`;
    const response = await w.wb.chat.send(`@mcp call odd__linked {} then ${read('hostile://notes/readme.md')}`);
    await allow(response);
    await says(response, /Read a resource/);
    await says(response, /"uri": "hostile:\/\/notes\/readme\.md"/);
    await w.picture('chat-read-resource');
    await allow(response, 2);
    await says(response, /Resource hostile:\/\/notes\/readme\.md: # Read me A note\./);

    const denied = await w.wb.chat.send(`@mcp ${read('hostile://items/7')}`);
    await answersNamed(denied, 'Deny').click();
    await says(denied, /denied: .*The user denied the call to resources\/read on MCP server "odd"/);
    const unknown = await w.wb.chat.ask('@mcp call mcp_read_resource {"server": "odder", "uri": "x:y"}');
    await eventually(async () =>
      assert.match(await said(unknown), /The tool was not called: there is no MCP server "odder"/),
    );
  });
});
