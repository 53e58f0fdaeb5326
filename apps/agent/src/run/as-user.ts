import { findProgram } from './find-program.ts'
import type { MachineUser } from '../os/os.ts'
import type { ProcessPlan } from './run-process.ts'

/** The command line that starts a program as another user, with that user's groups. Linux, as root. */
export function asUser(
  plan: Pick<ProcessPlan, 'program' | 'args'>,
  user: MachineUser,
): { program: string; args: string[] } {
  const setpriv = findProgram('setpriv')
  if (setpriv !== undefined) {
    const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups']
    return { program: setpriv, args: [...identity, '--', plan.program, ...plan.args] }
  }
  const runuser = findProgram('runuser')
  if (runuser !== undefined) {
    return { program: runuser, args: ['-u', user.name, '--', plan.program, ...plan.args] }
  }
  throw new Error('running as another user needs setpriv or runuser, and neither is installed')
}
