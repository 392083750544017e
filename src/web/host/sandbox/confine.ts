/** There are no programs in a web window, so none is ever confined. */
export function confine(): Promise<never> {
  return Promise.reject(new Error('There are no programs in a web window.'));
}
