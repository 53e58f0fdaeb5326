import { sessionStore } from './session.ts'
import { createStore, useStore } from './store.ts'

/** Refused requests wait for the user to prove who they are, and are then repeated. */
interface ProofNeeded {
  message: string
  isGiven: Promise<boolean>
  settle: (isGiven: boolean) => void
}

const proofNeeded = createStore<ProofNeeded | undefined>(undefined)

export const useProofNeeded = (): ProofNeeded | undefined => useStore(proofNeeded, (needed) => needed)

/** Returns whether the user gave a proof; false when they closed the question. Several requests share one question. */
export function askForProof(message: string, signal: AbortSignal | undefined): Promise<boolean> {
  const { isGiven, settle } = proofNeeded.get() ?? ask(message)
  signal?.addEventListener('abort', () => settle(false), { once: true })
  return isGiven
}

function ask(message: string): ProofNeeded {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const needed: ProofNeeded = {
    message,
    isGiven: promise,
    settle: (isGiven) => {
      if (proofNeeded.get() === needed) proofNeeded.set(undefined)
      resolve(isGiven)
    },
  }
  proofNeeded.set(needed)
  return needed
}

// A new token is a sign-in, and so a proof; no token is the end of the session.
let token = sessionStore.get().access_token
sessionStore.subscribe(() => {
  const before = token
  token = sessionStore.get().access_token
  if (token !== before) proofNeeded.get()?.settle(token !== null)
})
