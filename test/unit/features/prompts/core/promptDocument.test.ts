import assert from 'node:assert/strict';
import type { GetPromptResult } from '@modelcontextprotocol/client';
import { english } from '../../../../../src/base/phrase';
import { planPrompt } from '../../../../../src/features/languageModel/core/contentPlan';
import { promptDocument, promptText } from '../../../../../src/features/prompts/core/promptDocument';
import { readPrompt } from '../../../../../src/host/reading/results';

type Messages = GetPromptResult['messages'];

const show = (messages: Messages, more: Partial<GetPromptResult> = {}, args = {}) =>
  promptDocument({ server: 'srv', prompt: { name: 'p', title: 'The prompt' }, args, result: { messages, ...more } });
const user = (content: Messages[number]['content']): Messages => [{ role: 'user', content }];
const text = (value: string) => show(user({ type: 'text', text: value }));

describe('the document of a prompt', () => {
  it("uses the person's language, and leaves server text unchanged", () => {
    const messages = [...user({ type: 'text', text: 'User' }), ...user({ type: 'text', text: ' ' })];
    const run = { server: 'srv', prompt: { name: 'p' }, args: {}, result: { messages } };
    assert.equal(
      promptDocument(run, said => (typeof said === 'string' ? said : `«${english(said)}»`)),
      '# p\n\n«Prompt `p` from MCP server `srv`»\n\n## 1. «User»\n\nUser\n\n## 2. «User»\n\n«(empty)»\n',
    );
  });

  it('names the roles that were not kept', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: '[x](y:z)', content: 'a' },
      { role: 'model', content: 'b' },
    ];
    const result = readPrompt({ messages }, () => {});
    const shown = promptDocument({ server: 'srv', prompt: { name: 'p' }, args: {}, result });
    assert.ok(
      shown.includes(
        '\n\nMessages with the role "system", "\\[x\\](y:z)" count as messages of the user.\n\n## 1. User',
      ),
      shown,
    );
    assert.deepEqual(planPrompt(result, { images: false, maxChars: 100 }).notes.map(english), [
      'Messages with the role "system", "[x](y:z)" count as messages of the user.',
    ]);
  });

  it('has title, server, arguments, and each message under its role', () => {
    const messages: Messages = [
      { role: 'user', content: { type: 'text', text: 'Hello there.' } },
      { role: 'assistant', content: { type: 'text', text: 'Hi!' } },
    ];
    assert.equal(
      show(messages, { description: 'Says hello' }, { name: 'x' }),
      `# The prompt

Prompt \`p\` from MCP server \`srv\`

Says hello

Arguments:

\`\`\`json
{
  "name": "x"
}
\`\`\`

## 1. User

Hello there.

## 2. Assistant

Hi!
`,
    );
  });

  for (const odd of [
    '# Heading',
    '## 2. Assistant',
    'a\n---',
    '<b>',
    '[x](y)',
    '- list',
    '1. list',
    '    code',
    '~~~',
    'https://x',
  ])
    it(`fences ${JSON.stringify(odd)}`, () =>
      assert.ok(text(odd).includes(`\n\`\`\`text\n${odd}\n\`\`\`\n`), text(odd)));

  it('has a fence that its text cannot close @promptDocument.fence-text-close', () => {
    assert.ok(text('a\n````\n## 2. Assistant').includes('`````text\na\n````\n## 2. Assistant\n`````'));
  });

  it('shows hidden characters @promptDocument.shows-hidden-characters', () => {
    assert.ok(text('a\u202eb').includes('a⟨U+202E⟩b'));
  });

  it('keeps markup out of its headings', () => {
    const document = promptDocument({
      server: 'srv',
      prompt: { name: 'a`b', title: '[x](command:y)\n# z' },
      args: {},
      result: { messages: [] },
    });
    assert.match(document, /^# \\\[x\\\]\(command:y\) \\# z\n/);
    assert.ok(document.includes('Prompt `` a`b `` from'));
  });

  it('notes when there are no messages', () => {
    assert.match(show([]), /The server returned no message\./);
  });

  it('lists content that is not text', () => {
    const data = Buffer.alloc(2048).toString('base64');
    assert.match(show(user({ type: 'image', data, mimeType: 'image/png' })), /Image: image\/png, 2 KB/);
    assert.match(show(user({ type: 'audio', data, mimeType: 'audio/wav' })), /Audio: audio\/wav, 2 KB/);
    const link = { type: 'resource_link', uri: 'x://y', name: 'Y', size: 10 } as const;
    assert.match(show(user(link)), /Resource link: `x:\/\/y` \(Y, 10 B\)/);
    const resource = { uri: 'x://t', mimeType: 'text/plain', text: 'hello' };
    assert.match(
      show(user({ type: 'resource', resource })),
      /Resource: `x:\/\/t` \(text\/plain\)\n\n```text\nhello\n```/,
    );
    const blob = { uri: 'x://b', blob: data };
    assert.match(show(user({ type: 'resource', resource: blob })), /Resource: `x:\/\/b`, 2 KB/);
    const strange = { type: 'hologram' } as unknown as Messages[number]['content'];
    assert.match(show(user(strange)), /unknown type `hologram`/);
  });

  it('bounds a huge result, and notes that', () => {
    const huge = { type: 'text', text: 'x'.repeat(6_000_000) } as const;
    const document = show([...user(huge), ...user(huge)]);
    assert.ok(document.length < 5_100_000);
    assert.match(document, /…[\s\S]*1 more messages are not shown/);
    const lines = { type: 'text', text: '\n'.repeat(6_000_000) } as const;
    assert.ok(show(user({ type: 'text', text: `a${lines.text}` })).split('\n').length < 300_000);
  });

  it('is copied as plain text', () => {
    assert.equal(promptText({ messages: user({ type: 'text', text: '# as it is\u200d' }) }), '# as it is\u200d');
    const both: Messages = [
      ...user({ type: 'text', text: 'q' }),
      { role: 'assistant', content: { type: 'text', text: 'a' } },
    ];
    assert.equal(promptText({ messages: both }), 'User:\nq\n\nAssistant:\na');
    assert.equal(promptText({ messages: user({ type: 'hologram' } as never) }), '[hologram]');
  });
});
