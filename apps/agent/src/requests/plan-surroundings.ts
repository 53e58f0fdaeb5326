import { userInfo } from 'node:os'
import type { MachineUser, Os } from '../os/os.ts'
import { makeEnvironment, workingFolder } from '../run/environment.ts'
import type { ProcessPlan } from '../run/run-process.ts'
import { RunRefused } from '../run/run-refused.ts'

/** User, environment and folder of a run. Throws RunRefused if they are not available here. */
export async function planSurroundings(
  input: { env_vars: string[]; run_as_user: string | null },
  os: Os,
): Promise<Pick<ProcessPlan, 'env' | 'cwd' | 'user'>> {
  const user = await findOtherUser(input.run_as_user, os)
  return { env: makeEnvironment(input.env_vars, user), cwd: workingFolder(user), user }
}

/** The user to switch to; undefined if the agent already runs as that user, or none is named. */
async function findOtherUser(name: string | null, os: Os): Promise<MachineUser | undefined> {
  if (name === null || name === ownName()) return undefined
  const why = os.whyNoOtherUser(name)
  if (why !== undefined) throw new RunRefused(why)
  const user = await os.findUser(name)
  if (user === undefined) throw new RunRefused(`User "${name}" does not exist on this machine.`)
  return user
}

function ownName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // In some containers the agent's own user id has no name.
    return undefined
  }
}
