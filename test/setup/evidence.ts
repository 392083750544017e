// Pictures and logs of what a failed test had open.
import { processWide } from './processWide';

type Save = (name: string) => Promise<void>;
const sources = processWide('evidence', () => new Set<Save>());

/** From now on `save` is called with a file name when a test fails. @returns a function that ends this. */
export function onFailedTest(save: Save): () => void {
  sources.add(save);
  return () => sources.delete(save);
}

/** Called for each failed test; never fails itself. */
export async function saveEvidence(title: string): Promise<void> {
  const name = title.replace(/[^\w-]+/g, '-').slice(0, 100);
  await Promise.allSettled([...sources].map(save => save(name)));
}
