import type * as vscode from 'vscode';
import type { ServerSet } from '../../host';
import type { ProgramPorts } from '../../host/definition';
import type { ReviewDialog, Trust } from '../trust';
import type { TestDebugger } from './core/testSession';

/** What runs need of the window; asked for with the first run. */
export interface TestWindow {
  readonly servers: ServerSet;
  readonly trust: Trust;
  readonly ports: Omit<ProgramPorts, 'roots'>;
  /** That of the workspace. */
  readonly state: vscode.Memento;
  /** Shows what a server would launch. @param uri of the file that says so. */
  readonly reviewOf: (uri: vscode.Uri) => ReviewDialog;
  /** Debugs the servers of tests. */
  readonly debugger: (events: DebugEvents) => TestDebugger;
}

/** Events while tests are debugged. */
interface DebugEvents {
  /** The program is paused, or runs on. */
  paused(isPaused: boolean): void;
  /** The person ends the debugger. */
  left(): void;
  log(text: string): void;
}
