import type { Os } from '../../os/os.ts'
import { findOwnUser } from './own-user.ts'

/** The signed-in user, a desktop session first. */
export async function findSignedInUser(os: Os): Promise<string | null> {
  return (await os.readQuickFacts()).logged_in_user ?? null
}

/** Why no shell can run as the signed-in user; undefined if it can. */
export function whyNotAsUser(os: Os, signedIn: string | null): string | undefined {
  if (signedIn === null) return 'No user is signed in at this machine.'
  return signedIn === findOwnUser().name ? undefined : os.whyNoOtherUser(signedIn)
}
