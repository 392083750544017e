// What reports to OpenTelemetry cost a call. The program that sends them and the receiver are processes of their own, as they
// are for people.

import { Reporting } from '../../src/features/telemetry/core/exportProgram';
import { startScript, waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';
import type { BenchRow } from './row';
import { HostClient } from './wire/hostClient';
import { comparedCalls } from './wire/pairs';

export async function* rows(): AsyncGenerator<BenchRow> {
  const receiver = startScript(inRepository('out', 'test', 'bench', 'wire', 'otlpSink.js'));
  const port = await waitFor(() => receiver.stdout[0], { what: 'the receiver to listen' });
  const said: string[] = [];
  const reporting = new Reporting({
    program: inRepository('dist', 'telemetry.js'),
    version: '0',
    content: false,
    receiver: Promise.resolve({ endpoint: `http://127.0.0.1:${port}`, headers: {} }),
    log: (_, text) => void said.push(text),
  });
  const [one, other] = [await HostClient.start(), await HostClient.start()];
  try {
    yield* comparedCalls([one, other], {
      name: 'telemetry: a call that is reported',
      budget: { wall: 1.05, cpu: 1.08 },
      turn: (client, isOn) => client.report(isOn ? reporting : undefined),
    });
  } finally {
    await Promise.all([one.close(), other.close()]);
    await reporting.close();
    await receiver.stop();
    // What is dropped costs less.
    if (said.length > 0) console.error(said.join('\n'));
  }
}
