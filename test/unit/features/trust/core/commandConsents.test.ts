import assert from 'node:assert/strict';
import {
  type AllowedCommand,
  CommandConsents,
  type CommandInput,
  commandText,
} from '../../../../../src/features/trust/core/commandConsents';

const command = (more: object = {}): CommandInput => ({ id: 'made', type: 'command', command: 'a.run', ...more });
const user = { scope: 'user' } as const;
const workspace = { scope: 'workspace' } as const;

describe('a command that may always run for an input', () => {
  let kept: Record<string, readonly AllowedCommand[]>;
  let commands: CommandConsents;
  beforeEach(() => {
    kept = { workspace: [], user: [] };
    const store = {
      get: (scope: string) => kept[scope]!,
      // As a file would: a copy, as text.
      set: async (scope: string, allowed: readonly AllowedCommand[]) => {
        kept[scope] = JSON.parse(JSON.stringify(allowed));
      },
    };
    commands = new CommandConsents(
      store,
      ({ scope }, id) => `${scope} ${id}`,
      ({ scope }) => scope,
    );
  });

  it('is exactly the allowed one: other commands, arguments, inputs and files ask again @commandConsents.exactly-allowed-commands', async () => {
    const allowed = command({ args: ['x', { deep: [1] }] });
    assert.ok(!commands.has(user, allowed), 'in the settings of the person too');
    await commands.allow(user, allowed);
    assert.ok(commands.has(user, structuredClone(allowed)));
    assert.ok(commands.has(user, { ...allowed, description: 'said otherwise' }));
    assert.ok(!commands.has(user, command({ args: ['x', { deep: [2] }] })));
    assert.ok(!commands.has(user, command()));
    assert.ok(!commands.has(user, { ...allowed, command: 'b.run' }));
    assert.ok(!commands.has(user, { ...allowed, id: 'other' }));
    assert.ok(!commands.has(workspace, allowed));
  });

  it('is kept where the settings are: with the workspace, or for the person', async () => {
    await commands.allow(workspace, command());
    await commands.allow(user, command({ args: 'x'.repeat(1_000) }));
    assert.deepEqual([kept.workspace?.length, kept.user?.length], [1, 1]);
    assert.ok(kept.user![0]!.text.length <= 300);
  });

  it('is one for each input, and can be taken back', async () => {
    await commands.allow(user, command());
    await commands.allow(user, command({ args: ['x'] }));
    assert.ok(!commands.has(user, command()), 'what came before it');
    const [only, ...others] = commands.all;
    assert.deepEqual([only?.text, only?.where, others], ['a.run ["x"]', 'user', []]);
    await commands.revoke(only!);
    assert.ok(!commands.has(user, command({ args: ['x'] })));
    assert.deepEqual(commands.all, []);
  });

  it('is shown to the letter', () => {
    assert.equal(commandText(command({ args: ['a\u202eb', '\n'] })), 'a.run ["a⟨U+202E⟩b","\\n"]');
  });
});
