import { settingValue } from '../../editor/settingValues';
import type { ElicitationPort } from '../../host/definition';
import type { Elicitation } from './elicitation';

/** Declares elicitation as far as the person allows it; loads the dialogs when needed (spec: client/elicitation). */
export function elicitationPort(load: () => Elicitation): ElicitationPort {
  return {
    capability: () => (settingValue('elicitation') === 'deny' ? undefined : { form: {}, url: {} }),
    elicit: (...question) => load().elicit(...question),
    visit: (...visit) => load().visit(...visit),
    completed: (...visit) => load().completed(...visit),
  };
}
