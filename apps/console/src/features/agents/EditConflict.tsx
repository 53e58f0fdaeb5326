import { Alert, Button } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { describeChanges } from './agent-form.ts'

interface EditConflictProps {
  /** As it was when the form was opened. */
  before: AgentDetail
  now: AgentDetail
  onReload: () => void
}

/** Somebody else saved in between: who, what, and a way to go on from there. */
export function EditConflict({ before, now, onReload }: EditConflictProps) {
  const changes = describeChanges(before, now)
  return (
    <Alert color="warning" mb="md" title="Somebody else has changed this machine">
      <LastEditor agentId={now.agent_id} />
      {changes.length > 0 && (
        <ul>
          {changes.map(({ label, from, to }) => (
            <li key={label}>
              {label}: {from} → {to}
            </li>
          ))}
        </ul>
      )}
      <Button variant="default" mt="sm" onClick={onReload}>
        Go on with the new values
      </Button>
    </Alert>
  )
}

/** The audit log knows who it was, for those who may read it. */
function LastEditor({ agentId }: { agentId: string }) {
  const mayRead = useMay('can_view_auditlogs')
  const body = {
    pagination: { rowsPerPage: 1, page: 1, sortBy: 'entry_time' as const, descending: true },
    agentFilter: [agentId],
    actionFilter: ['modify' as const],
  }
  const { data } = useQuery({ ...query(listAudit, { body }), enabled: mayRead, staleTime: 0 })
  const [entry] = data?.audit_logs ?? []
  if (entry === undefined) return null
  return (
    <div>
      {entry.username}, <Time instant={entry.entry_time} relative />
    </div>
  )
}
