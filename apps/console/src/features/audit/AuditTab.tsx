import { useState } from 'react'
import { AuditLog } from './AuditLog.tsx'
import { START_VIEW } from './audit-view.ts'

/** The audit log of one machine; newest first. */
export function AuditTab({ agentId }: { agentId: string }) {
  const [view, setView] = useState(START_VIEW)
  return <AuditLog view={view} onChange={setView} agentId={agentId} />
}
