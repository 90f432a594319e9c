/** A config directory with profiles in it, as `auth login` makes them. */
import { join } from 'node:path';
import { type CliOptions, useDirectory } from '../support/cli.ts';
import { type HereResult, runHere } from '../support/run-here.ts';

export interface Machine {
  directory: string;
  /** The path of config.json. */
  file: string;
  /** Runs qrctl with that config directory: in this process, but where it is to be on a terminal. */
  run(args: string[], options?: CliOptions): Promise<HereResult>;
  /** Stores a key unverified. */
  login(profile: string, baseUrl: string, key: string): Promise<HereResult>;
}

/** A machine on which nothing is stored yet; gone when the running test is. */
export async function useMachine(): Promise<Machine> {
  const directory = join(await useDirectory(), 'config');
  const run: Machine['run'] = (args, options = {}) =>
    runHere(args, { ...options, env: { QRCTL_CONFIG_DIR: directory, ...options.env } });
  return {
    directory,
    file: join(directory, 'config.json'),
    run,
    login: (profile, baseUrl, key) =>
      run(['auth', 'login', '--profile', profile, '--base-url', baseUrl, '--key-stdin', '--no-verify'], {
        input: key,
      }),
  };
}
