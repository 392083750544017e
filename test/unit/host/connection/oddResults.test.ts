import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { english } from '../../../../src/base/phrase';
import { outputProblem } from '../../../../src/host';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

for (const era of ['legacy', 'modern'] as const) {
  describe(`an invalid result, ${era} era`, () => {
    let host: TestHost;
    before(async () => {
      host = new TestHost();
      host.configure({ one: hostile('--odd-results', ...(era === 'modern' ? ['--modern'] : [])) });
      await host.loads('one');
      assert.equal(host.server('one').info?.era, era);
    });
    after(() => host.close());

    const call = async (name: string): Promise<[CallToolResult, string | undefined]> => {
      const server = host.server('one');
      const tool = server.catalog.tools.find(one => one.name === name) ?? assert.fail(`${name} is not offered`);
      const result = await raw(server).callTool(tool, {});
      const problem = outputProblem(tool, result);
      return [result, problem && english(problem)];
    };

    for (const [name, why] of [
      ['mismatched', /does not fit its output schema/],
      ['unstructured', /lacks the structured content/],
      ['elsewhere', /could not be checked.*Unresolved \$ref "https:\/\/example\.com\/schema\.json"/],
      ['old-dialect', /could not be checked.*draft-03\/schema# is not supported/],
    ] as const) {
      it(`with structured content that is ${name}: the tool counts as executed, and the result is kept @oddResults.structured-content-tool`, async () => {
        const [{ content }, problem = ''] = await call(name);
        assert.deepEqual(content, [{ type: 'text', text: `${name} has done it` }]);
        assert.match(problem, /^The tool was carried out, but /);
        assert.match(problem, why);
      });
    }

    it('with content of an unknown type is kept, with that content', async () => {
      const [{ content }] = await call('unknown-content');
      assert.deepEqual(content, [
        { type: 'hologram', beams: 7 },
        { type: 'text', text: 'beside it' },
      ]);
    });
  });
}
