/** Tests start programs, which web windows cannot. */
export const whenTestsAreFound = () => ({ dispose: () => {} });
