import type { AgentDetail } from '@muster/contract/api/agents'
import { type PatchStatus, scanPatches } from '@muster/contract/api/patches'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import type { Refresh } from '../../ui/inputs/RefreshButton.tsx'

/** Has a machine look for patches, and is busy until it has told what it saw; it takes seconds on Linux, and minutes on Windows. */
export function useScan(
  { agent_id, hostname, connected }: AgentDetail,
  status: PatchStatus | undefined,
): Refresh {
  /** When it had looked last as it was asked; null = never. */
  const [askedAt, setAskedAt] = useState<string | null>()
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(scanPatches, { params: { agent_id } }),
    onMutate: () => setAskedAt(status?.looked_at ?? null),
    onError: () => setAskedAt(undefined),
  })
  const waits = askedAt !== undefined && status?.looked_at === askedAt && connected
  return {
    run: () => mutate(),
    busy: isPending || waits,
    reason: connected ? undefined : `${hostname} is not connected.`,
  }
}
