import type { AgentDetail } from '@muster/contract/api/agents'
import { useState } from 'react'
import { AlertList } from './AlertList.tsx'
import { START_VIEW } from './alert-view.ts'

/** Current and past alerts of one machine, including suppressed ones. */
export function AlertsPane({ agent }: { agent: AgentDetail }) {
  const [view, setView] = useState<typeof START_VIEW>({ ...START_VIEW, also: ['snoozed', 'held'] })
  return <AlertList view={view} onChange={setView} agent={agent} />
}
