import type { Os } from '../../os/os.ts'
import { findOwnUser } from './own-user.ts'

/** Who is signed in at this machine, a desktop first. */
export async function findSignedInUser(os: Os): Promise<string | null> {
  return (await os.readQuickFacts()).logged_in_user ?? null
}

/** Why no shell can be started as who is signed in; undefined where one can. */
export function whyNotAsUser(os: Os, signedIn: string | null): string | undefined {
  if (signedIn === null) return 'Nobody is signed in at this machine.'
  return signedIn === findOwnUser().name ? undefined : os.whyNoOtherUser(signedIn)
}
