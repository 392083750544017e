// Web windows start no programs: no command line runs or fetches anything.

export const packageRunner = (): undefined => undefined;
export const isPackageProgram = (): boolean => false;
export const runsPackage = (): boolean => false;
export const namesInstaller = (): boolean => false;
export const fetchesAtStart = (): boolean => false;
export const installedPrograms = (): undefined => undefined;
export const scriptAt = (): undefined => undefined;
export const programProblems = (): readonly never[] => [];
