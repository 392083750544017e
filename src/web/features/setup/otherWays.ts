import type { OtherWay } from '../../../features/setup/smartBox';

/** A web window runs no programs and reads no files of other hosts. */
export const otherWays = (): OtherWay[] => [];
