/** Tests start programs, which web windows cannot: nothing there asks for the engine. */
export {};
