/** Web windows have no Node, and need none. */
export const isNodeTooOld = (): boolean => false;
export function tellOldNode(): void {}
