/** No disk can be read synchronously in a web window. */
export const existsSync = (): boolean => false;

export const realpathSync = {
  native(path: string): never {
    throw new Error(`${path} is not on a disk of this window.`);
  },
};

export const lstatSync = (path: string): never => realpathSync.native(path);
