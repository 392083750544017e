import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { revealedData } from '../../src/base/modelData';
import { plain, plainMarkdown, visible, visibleLines } from '../../src/base/text';
import { systemText } from '../../src/features/chat/core/systemText';
import { planPrompt, planToolResult } from '../../src/features/languageModel/core/contentPlan';
import { providerSchema } from '../../src/features/languageModel/core/providerSchema';
import { CALL_TOOL, nameTools, SEARCH_TOOLS } from '../../src/features/languageModel/core/toolNames';
import { raw } from '../setup/raw';
import { hostile, TestHost } from './host/testHost';

/** What nobody sees, or sees as something else: tags, direction, zero width, terminal codes. */
const nowhere = { date: '', platform: '', folders: [] };
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cc}/u;
const SMUGGLED = /\p{Default_Ignorable_Code_Point}|\p{Cf}/u;
/** Of which those in emoji are left out. */
const hidden = (value: unknown) => JSON.stringify(value).replace(/\p{RGI_Emoji}/gv, '');

describe('a server with hidden text and deceptive names', () => {
  let test: TestHost;
  let tools: readonly Tool[];
  before(async () => {
    test = new TestHost();
    test.configure({ mine: hostile('--tricks') });
    tools = (await test.loads('mine')).catalog.tools;
  });
  after(() => test.close());

  it('has hidden characters in names, titles and descriptions shown @tricks.hidden-characters-names', () => {
    const { catalog, info } = test.server('mine');
    const [prompt] = catalog.prompts;
    const [resource] = catalog.resources;
    const said = [
      ...tools.flatMap(({ title, description }) => [title, description]),
      prompt?.title,
      prompt?.description,
      resource?.name,
      resource?.title,
      info?.implementation?.title,
    ];
    assert.ok(said.filter(text => HIDDEN.test(text ?? '')).length >= 6, 'the fixture hides text');
    for (const text of said) {
      assert.doesNotMatch(visible(text ?? '', 1_000), HIDDEN);
      assert.doesNotMatch(visibleLines(text ?? ''), HIDDEN);
    }
    assert.match(visible(tools[1]!.description!, 1_000), /⟨U\+E006F⟩⟨U\+E0062⟩/);
  });

  it('has no markup left in markdown', () => {
    const shown = plainMarkdown(visible(tools[1]!.description!, 1_000));
    assert.doesNotMatch(shown, /[![\]()<>$]/);
    assert.doesNotMatch(shown, /:\/\//);
  });

  it('has no links left in notifications and input boxes @tricks.links-left-notifications', () => {
    assert.doesNotMatch(plain(visible(tools[1]!.description!, 1_000)), /\[[^\]]+\]\(/);
  });

  it('cannot imitate a tool of this extension, nor one with similar letters @tricks.imitate-tool-extension', () => {
    const named = nameTools(tools.map(tool => ({ serverId: 'mine', serverName: 'mine', tool })));
    const names = named.map(({ name }) => name);
    assert.equal(tools[1]!.name, SEARCH_TOOLS);
    for (const ours of [SEARCH_TOOLS, CALL_TOOL]) assert.ok(!names.includes(ours));
    assert.ok(names.every(name => name.startsWith('mine__')));
    assert.ok(names.includes('mine__echo'));
    const alike = named.find(({ tool }) => tool.name === '\u0435cho');
    assert.match(alike!.name, /^mine__\w+__[0-9a-z]{10}$/);
  });

  it('hides nothing from review in what a model gets: descriptions, schemas, instructions, results and prompts @tricks.hides-review-model', async () => {
    const server = test.server('mine');
    for (const { inputSchema } of tools) {
      const made = providerSchema(inputSchema);
      if ('schema' in made) assert.doesNotMatch(hidden(made.schema), SMUGGLED);
    }
    const instructions = server.info?.instructions ?? '';
    assert.match(instructions, HIDDEN);
    assert.doesNotMatch(
      systemText([{ name: 'mine', isReady: true, tools: [instructions], instructions }], nowhere, false).replaceAll(
        '\n',
        '',
      ),
      HIDDEN,
    );
    const options = { images: false, maxChars: 10_000 };
    const result = planToolResult(await raw(server).callTool(tools[1]!, {}), options);
    assert.doesNotMatch(JSON.stringify(result.parts), SMUGGLED);
    for (const tool of tools) assert.doesNotMatch(hidden(revealedData(tool)), SMUGGLED);
    const prompt = planPrompt(await raw(server).getPrompt('tricky', {}), options);
    assert.doesNotMatch(JSON.stringify(prompt.messages), SMUGGLED);
  });

  it('is known by its configured name, whatever it calls itself @tricks.known-configured-name', () => {
    const { name, info } = test.server('mine');
    assert.equal(info?.implementation?.name, 'github');
    assert.equal(name, 'mine');
    assert.match(
      systemText([{ name, isReady: true, instructions: 'x' }], nowhere, false),
      /Instructions of the server "mine"/,
    );
  });
});
