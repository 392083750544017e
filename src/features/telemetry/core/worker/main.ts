import { constants, setPriority } from 'node:os';
import type { FromTelemetry, ToTelemetry } from '../operation';
import { OtlpReports } from './otlpReports';

/*
 * A separate program: it sends spans and metrics of requests to a receiver of OTLP, with the libraries of OpenTelemetry. It
 * gets batches from the window (`ExportProgram`), and ends with it.
 */

/** How long the receiver may take at the end when nobody waits for it. */
const LAST_MS = 2_000;
const tell = (message: FromTelemetry, sent = () => {}) => {
  if (process.connected) process.send?.(message, undefined, undefined, sent);
  else sent();
};
let reports: OtlpReports | undefined;
try {
  // Reports can wait; the calls that they tell of cannot.
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // A system that forbids it loses nothing else.
}

process.on('message', (message: ToTelemetry) => {
  if (message.type === 'start') reports = new OtlpReports(message, tell);
  else if (message.type === 'finish') void finish();
  else {
    reports?.add(message);
    tell({ type: 'taken' });
  }
});
// The window is gone.
process.once('disconnect', () => {
  setTimeout(() => process.exit(), LAST_MS);
  void finish();
});

/** Ends when the window has got all that it was told. */
async function finish(): Promise<void> {
  await reports?.finish();
  tell({ type: 'finished' }, () => process.exit());
}
