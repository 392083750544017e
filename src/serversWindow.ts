import type vscode = require('vscode');

import type { Lazy } from './base/events';
import type { SignInDialogs } from './features/auth/signInDialogs';
import type { Elicitation } from './features/elicitation/elicitation';
import type { Resources } from './features/resources/resources';
import type { Sampling } from './features/sampling/sampling';
import type { Servers } from './features/servers/servers';
import type { Configuration } from './features/settings/configuration';
import type { AskApproval } from './features/trust';
import type { ServerConnection } from './host';
import type { Problem } from './host/settings';

/** Disposes something with the window. @returns it */
export type Own = <T extends vscode.Disposable>(disposable: T) => T;

interface ServerFeatures {
  /** Asks the person questions on behalf of servers. */
  readonly questions: Questions;
  /** The share of a model's window that the definitions of a server's tools take. */
  toolTokens(server: ServerConnection): number;
  /** Lines on a server for its tooltip. */
  notes(server: ServerConnection): readonly string[];
  /** The findings of the last check of a server. */
  findings(server: ServerConnection): readonly Problem[];
  /** Asks the person for arguments that fit a schema. Undefined: they gave up. */
  askArguments(title: string, schema: Record<string, unknown>): Promise<Record<string, unknown> | undefined>;
}

export interface Questions {
  readonly elicitation: Elicitation;
  readonly sampling: Sampling;
  readonly signIn: SignInDialogs;
  /** For calls that come from outside our own chat. */
  readonly askForCall: AskApproval;
}

/** The parts that live as long as the window, whether it has servers or not. */
export interface ServersWindow {
  readonly context: vscode.ExtensionContext;
  readonly own: Own;
  readonly configuration: Configuration;
  readonly servers: Servers;
  readonly resources: Resources;
  /** Loaded with the first question of a server, or the first tooltip. */
  readonly features: Lazy<ServerFeatures>;
}
