/** Constructor of conf, by a name: as a default export it would be lost where the bundle loads this file by itself. */
export { default as Conf } from 'conf';
