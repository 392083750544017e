// Pictures and logs of what a failed test had open.

type Save = (name: string) => Promise<void>;
const sources = new Set<Save>();
const state = { saved: Promise.resolve() };

/** From now on `save` is called with a file name when a test fails. @returns a function that ends this. */
export function onFailedTest(save: Save): () => void {
  sources.add(save);
  return () => sources.delete(save);
}

/** Called for each failed test or hook; never fails itself. */
export function saveEvidence(title: string): Promise<void> {
  const name = title.replace(/[^\w-]+/g, '-').slice(0, 100);
  const saved = Promise.allSettled([...sources].map(save => save(name)));
  state.saved = saved.then(() => undefined);
  return state.saved;
}

/** Mocha does not wait for what is done about a failed hook: what closes a window has to. */
export const evidenceIsSaved = () => state.saved;
