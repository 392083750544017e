import { messageOf } from '../../../base/errors';
import { type PhraseError, phrase } from '../../../base/phrase';
import type { Admission, LaunchPort, ServerDefinition } from '../../../host/definition';

type Entry = NonNullable<ServerDefinition['entry']>;

/** One check before a launch. Does not wait for a person. */
export interface LaunchStep {
  /** @param entry `definition.entry` as changed by the earlier steps. */
  admit(definition: ServerDefinition, entry: Entry): Admission | Promise<Admission>;
}

/** Runs its steps in order before every launch, up to the first that requires a person's action. */
export class LaunchGate implements LaunchPort {
  constructor(private readonly steps: readonly LaunchStep[]) {}

  async admit(definition: ServerDefinition): Promise<Admission> {
    let entry = definition.entry!;
    const known: string[] = [];
    for (const step of this.steps) {
      try {
        const admission = await step.admit(definition, entry);
        if (!('entry' in admission)) return admission;
        entry = admission.entry;
        known.push(...(admission.secrets ?? []));
      } catch (error) {
        // A step that fails must not let anything pass.
        const why = (error as Partial<PhraseError>).phrase ?? messageOf(error);
        const reason = phrase('could not check whether it may start: {0}', why);
        return { needs: 'needsTrust', reason, remedy: phrase('Reload the window and try again.') };
      }
    }
    return { entry, ...(known.length > 0 && { secrets: known }) };
  }
}
