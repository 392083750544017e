/** Files of questions are read with the engine of tests, which web windows do not have. */
export {};
