import { Suspense } from 'react'
import { lazyPart } from '../shell/lazy-part.ts'
import { useProofNeeded } from './proof-needed.ts'

const ConfirmOwner = lazyPart(() =>
  import('../../features/users/sessions/ConfirmCode.tsx').then((file) => file.ConfirmOwner),
)

/** Over any screen or dialog whose request needs a proof. */
export function ProofQuestion() {
  const needed = useProofNeeded()
  if (needed === undefined) return null
  return (
    <Suspense fallback={null}>
      <ConfirmOwner
        message={needed.message}
        onConfirmed={() => needed.settle(true)}
        onClose={() => needed.settle(false)}
      />
    </Suspense>
  )
}
