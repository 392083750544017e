import type { Phrase } from '../../base/phrase';
import type { ServerDefinition } from '../../host/definition';

/** Why a server would not start, and what can be done about it. */
export interface LaunchRefusal {
  readonly reason: Phrase;
  readonly remedy: Phrase | string;
}

/** What the organization says about servers that are not configured yet. */
export interface NewServerRules {
  /** The registry that it wants to be searched. */
  readonly registry: string | undefined;
  /** Undefined: nothing is known to be against it. */
  refusalOf(definition: ServerDefinition): LaunchRefusal | undefined;
}
