import type { TerminalDefaults } from '@muster/contract/agent/shells'
import type { Os } from '../../os/os.ts'
import { findOwnUser } from './own-user.ts'
import { listShells } from './shells.ts'
import { findSignedInUser, whyNotAsUser } from './signed-in-user.ts'

/** Lists the shells and users that a terminal of this machine can use. */
export async function describeShells(os: Os): Promise<TerminalDefaults> {
  const own = findOwnUser()
  const signedIn = await findSignedInUser(os)
  return {
    shells: listShells(own.shell),
    agent_user: own.name.slice(0, 200),
    signed_in_user: signedIn?.slice(0, 200) ?? null,
    why_no_user: whyNotAsUser(os, signedIn) ?? null,
  }
}
