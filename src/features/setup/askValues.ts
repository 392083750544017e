import type { ServerDefinition } from '../../host/definition';
import { askInput, type CommandConsents } from '../trust';
import type { SettingsAddition } from './core/serverDraft';
import type { SettingsWriter, TargetScope } from './settingsWriter';

/** Asks for the inputs of new servers that have no value yet, each once. False: cancelled. */
export async function askValues(
  { writer, commands }: { writer: SettingsWriter; commands: () => CommandConsents },
  scope: TargetScope,
  addition: SettingsAddition,
  definitions: readonly ServerDefinition[],
): Promise<boolean> {
  const named = definitions.flatMap(({ inputs }) => inputs?.definitions ?? []);
  const asked = [...new Map(named.map(input => [input.id, input])).values()].filter(
    ({ id }) => !addition.values.has(id),
  );
  const brought = new Set(addition.inputs.map(({ id }) => id));
  for (const [index, input] of asked.entries()) {
    const { id } = input;
    const isOf = ({ inputs }: ServerDefinition) => inputs?.definitions.some(each => each.id === id) === true;
    const servers = definitions.filter(isOf).map(({ name }) => name);
    const step = { step: index + 1, totalSteps: asked.length };
    const asking = { input, source: writer.sourceOf(scope), isNew: brought.has(id), servers, ...step };
    const value = await askInput(asking, commands());
    if (value === undefined) return false;
    // An input that is in settings already keeps its value.
    addition.values.set(id, value);
  }
  return true;
}
