/** Web windows start no programs. */
export const launch = (): Promise<never> => Promise.reject(new Error('There are no programs in a web window.'));
