import assert from 'node:assert/strict';
import type { ServerContext } from '@modelcontextprotocol/server';
import { SignsOfLife } from '../../../../../src/features/agents/core/signsOfLife';
import { waitFor } from '../../../../servers/spawn';

type McpRequest = ServerContext['mcpReq'];

describe('signs of life', () => {
  const sent: number[] = [];
  const request = (_meta: object) =>
    ({
      _meta,
      notify: async ({ params }: { params: { progress: number } }) => void sent.push(params.progress),
    }) as unknown as McpRequest;
  beforeEach(() => void sent.splice(0));

  it("go to a client that wants progress while its request is open, and rise with the server's own", async () => {
    const signs = new SignsOfLife(request({ progressToken: 1 }), 5);
    await waitFor(() => sent.length >= 2, { what: 'two signs' });
    await signs.request.notify({ method: 'notifications/progress', params: { progressToken: 1, progress: 3 } });
    const before = sent.length;
    await waitFor(() => sent.length > before, { what: 'another' });
    signs.dispose();
    assert.ok(
      sent.every((value, at) => at === 0 || value > sent[at - 1]!),
      sent.join(),
    );
    assert.ok(sent.at(-1)! > 3 && sent.at(-1)! < 4);
  });

  it('are not sent to a client that wants none', () => {
    const asked = request({});
    const signs = new SignsOfLife(asked, 1);
    assert.equal(signs.request, asked);
    signs.dispose();
  });
});
