import type { AgentDetail } from '@muster/contract/api/agents'
import { useState } from 'react'
import { AlertList } from './AlertList.tsx'
import { START_VIEW } from './alert-view.ts'

/** What is wrong, or was wrong, with one machine; also what nobody is told of. */
export function AlertsPane({ agent }: { agent: AgentDetail }) {
  const [view, setView] = useState<typeof START_VIEW>({ ...START_VIEW, also: ['snoozed', 'held'] })
  return <AlertList view={view} onChange={setView} agent={agent} />
}
