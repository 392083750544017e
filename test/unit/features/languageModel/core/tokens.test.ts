import assert from 'node:assert/strict';
import { DefinitionMeter } from '../../../../../src/features/languageModel/core/tokens';

const tool = (name: string) => ({ name, description: 'x'.repeat(300), inputSchema: {} });

describe('token counts of definitions', () => {
  it('are estimated until a model has counted them, once for each model', async () => {
    const meter = new DefinitionMeter();
    const tools = Array.from({ length: 50 }, (_, i) => tool(`t${i}`));
    const estimate = meter.tokens(tools[0]!);
    assert.ok(estimate > 100);
    assert.equal(meter.tokens(tools[0]!, 'one'), estimate);
    let asked = 0;
    const model = (id: string, tokens: number) => ({
      id,
      countTokens: async () => {
        asked++;
        return tokens;
      },
    });
    await meter.count(tools, model('one', 7));
    await meter.count(tools, model('two', 9));
    await meter.count(tools, model('one', 11));
    assert.equal(asked, 100);
    assert.deepEqual([meter.tokens(tools[0]!, 'one'), meter.tokens(tools[0]!, 'two')], [7, 9]);
    assert.ok(meter.isCounted(tools[49]!, 'two') && !meter.isCounted(tools[49]!, 'three'));
    assert.equal(meter.tokens(tools[0]!), estimate);
  });

  it('stay estimated when a model cannot count', async () => {
    const meter = new DefinitionMeter();
    const one = tool('one');
    const other = tool('other');
    await meter.count([one], { id: 'm', countTokens: () => Promise.reject(new Error('no')) });
    await meter.count([other], { id: 'm', countTokens: async () => Number.NaN });
    assert.deepEqual([meter.tokens(one, 'm'), meter.tokens(other, 'm')], [meter.tokens(one), meter.tokens(other)]);
  });
});
