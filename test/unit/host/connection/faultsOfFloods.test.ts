import assert from 'node:assert/strict';
import { waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { faultyHosts } from '../faultyHost';

describe('a server over stdio that floods', () => {
  const host = faultyHosts();

  it('an answer of 200 MB: it is skipped and logged, its call fails with the reason, the next is answered @faultsOfFloods.answer-200-mb', async function () {
    this.timeout(60_000);
    await host().start(['--huge-line-at=tools/call']);
    const server = await host().loads('bad');
    await assert.rejects(host().call(), /"bad" could not call echo: it sent a message of more than 67108864 bytes/);
    assert.ok(host().logged(/^left out: a message of more than 67108864 bytes$/));
    assert.equal((await raw(server).getPrompt('hello', {})).messages.length, 1);
  });

  it('100 MB of NUL on stdout: one log line, not a megabyte @faultsOfFloods.100-mb-nul', async function () {
    this.timeout(60_000);
    await host().start(['--nul-flood=100']);
    await waitFor(() => host().logged(/^left out: a message of more than 67108864 bytes$/), {
      timeoutMs: 30_000,
      what: 'the line in the log',
    });
    await host().loads('bad');
    await host().answers();
  });

  it('NULs within the limit on stdout: a short log line', async () => {
    await host().start(['--nul-flood=2']);
    await host().loads('bad');
    await host().answers();
    await waitFor(() => host().linesOf('stdout').length === 1, { what: 'the line in the log' });
    assert.ok(host().linesOf('stdout')[0]!.length < 1_100);
  });

  it('50,000 lines of noise on stdout: some are logged, the rest counted @faultsOfFloods.50-000-lines', async function () {
    this.timeout(60_000);
    await host().start(['--noise-flood=50000']);
    await waitFor(
      () => {
        const counts = host()
          .linesOf('lifecycle')
          .map(line => Number(/^left out: (\d+) lines on stdout that are not MCP messages$/.exec(line)?.[1] ?? 0));
        return counts.reduce((a, b) => a + b, 0) + host().linesOf('stdout').length === 50_000;
      },
      {
        timeoutMs: 30_000,
        what: () => `every line to be logged or counted; logged: ${host().linesOf('stdout').length}`,
      },
    );
    assert.ok(host().linesOf('stdout').length < 5_000);
    await host().loads('bad');
    await host().answers();
  });

  it('100 MB on stderr without a line end: drained and reported once @faultsOfFloods.100-mb-stderr', async function () {
    this.timeout(60_000);
    await host().start(['--stderr-flood=100']);
    await host().loads('bad');
    await host().answers();
    await waitFor(() => host().linesOf('stderr').length > 0, { timeoutMs: 30_000, what: 'the line in the log' });
    assert.deepEqual(host().linesOf('stderr'), ['(a very long line was omitted)']);
  });

  it('a thousand list_changed in a second: the list is loaded a few times, and the last state is right @faultsOfFloods.thousand-list-changed', async () => {
    await host().start(['--paced-storm=1000']);
    const { catalog } = await host()
      .reaches('bad', 'ready')
      .then(() => host().server('bad'));
    let loads = 0;
    let wasLoading = false;
    const counted = catalog.onDidChange(kind => {
      if (kind !== 'tools') return;
      const isLoading = catalog.list('tools').status === 'loading';
      if (isLoading && !wasLoading) loads++;
      wasLoading = isLoading;
    });
    await waitFor(() => catalog.tools.some(({ name }) => name === 'paced-10'), { what: 'the last tool' });
    counted.dispose();
    assert.ok(loads <= 5, `${loads} loads`);
    await host().answers();
  });
});
