import { type ChildProcess, spawn } from 'node:child_process'

/** It reads until the server closes the line, which it does by ending, whatever ended it. */
const GUARD = 'read -r _; kill -s KILL -- "-$1"; rm -rf -- "$2"'

/**
 * Until it is disposed of, a script that the server runs does not outlive it: if the server is killed, its whole group
 * is killed and its folder removed. Not on Windows, which has no such groups.
 */
export function guardScript(child: ChildProcess, folder: string): Disposable {
  const { pid } = child
  // It could not be started.
  if (pid === undefined || process.platform === 'win32') return { [Symbol.dispose]() {} }
  const guard = spawn('/bin/sh', ['-c', GUARD, 'muster-guard', `${pid}`, folder], {
    // What is pressed in the terminal of the server is not meant for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env['PATH'] },
  })
  // None is run without its guard.
  guard.once('error', () => child.kill('SIGKILL'))
  return {
    [Symbol.dispose]() {
      guard.kill('SIGKILL')
    },
  }
}
