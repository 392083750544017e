// What the trace costs a call. It is full all the while, as it is in a window that was open for long.
import type { BenchRow } from './row';
import { HostClient } from './wire/hostClient';
import { comparedCalls } from './wire/pairs';

const on = { messages: 10_000, size: 32 * 1024 * 1024 };
const off = { messages: 0, size: 0 };

export async function* rows(): AsyncGenerator<BenchRow> {
  const [one, other] = [await HostClient.start(), await HostClient.start()];
  try {
    yield* comparedCalls([one, other], {
      name: 'trace: a call with the trace on',
      budget: { wall: 1.04, cpu: 1.05 },
      turn: (client, isOn) => client.trace(isOn ? on : off),
    });
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}
