/** Tests start programs, which web windows cannot. */
export {};
