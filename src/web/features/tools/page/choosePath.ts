/** Files have no paths in web windows. */
export const choosePath = async (): Promise<undefined> => undefined;
