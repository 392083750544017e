/** Tests start programs, which web windows cannot. */
export const canTest: boolean = false;
export const whenTestsAreFound = () => ({ dispose: () => {} });
export const whenQuestionsAreOpen = whenTestsAreFound;
