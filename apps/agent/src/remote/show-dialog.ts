import { type ChildProcess, spawn } from 'node:child_process'
import { withStartUmask } from '../os/umask.ts'
import { makeEnvironment, workingFolder } from '../run/environment.ts'
import type { PersonAt } from './person-at.ts'

/** Starts a dialog program as the user at the machine. */
export function showDialog(
  { path, args, marker }: { path: string; args: string[]; marker: string },
  { display, user }: PersonAt,
): ChildProcess {
  return withStartUmask(() =>
    spawn(path, args, {
      cwd: workingFolder(user),
      env: {
        ...makeEnvironment([], user),
        DISPLAY: display.name,
        ...(display.authority === undefined ? {} : { XAUTHORITY: display.authority }),
        MUSTER_RUN: marker,
      },
      stdio: 'ignore',
      detached: true,
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    }),
  )
}
