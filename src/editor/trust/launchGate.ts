import type { Admission, LaunchPort, ServerDefinition } from '../../host';
import { messageOf } from '../../host/errors';

type Entry = NonNullable<ServerDefinition['entry']>;

/** One thing to settle before a launch. Waits for no person. */
export interface LaunchStep {
  /** @param entry what the steps before made of `definition.entry`. */
  admit(definition: ServerDefinition, entry: Entry): Admission | Promise<Admission>;
}

/** Asked before every launch: its steps in order, up to the first that a person has to do something about. */
export class LaunchGate implements LaunchPort {
  constructor(private readonly steps: readonly LaunchStep[]) {}

  async admit(definition: ServerDefinition): Promise<Admission> {
    let admission: Admission = { entry: definition.entry! };
    for (const step of this.steps) {
      if (!('entry' in admission)) return admission;
      try {
        admission = await step.admit(definition, admission.entry);
      } catch (error) {
        // A step that fails must not let anything pass.
        const reason = `whether it may start could not be checked: ${messageOf(error)}`;
        return { needs: 'needsTrust', reason, remedy: 'Reload the window and try again.' };
      }
    }
    return admission;
  }
}
