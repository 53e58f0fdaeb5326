import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type MachinePatch, getPatchStatus, listPatches } from '@muster/contract/api/patches'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { useMay } from '../../app/api/queries.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { InstallRun } from '../runs/InstallDialog.tsx'
import { InstallPatchesDialog } from './InstallPatchesDialog.tsx'
import { PatchNotes } from './PatchNotes.tsx'
import { PatchTable } from './PatchTable.tsx'
import { PatchTools } from './PatchTools.tsx'
import { useScan } from './use-scan.ts'

const FORBIDDEN = 'Your role does not allow you to see the patches of machines.'

/** What a machine may install, as it has told last, and what is being installed. */
export function PatchesPane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_manage_winupdates')
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState({ column: 'severity', descending: false })
  const [chosen, setChosen] = useState<readonly MachinePatch[]>()
  const [run, setRun] = useState<number>()
  const params = { agent_id: agent.agent_id }
  const patches = useQuery({ ...query(listPatches, { params }), enabled: may })
  const status = useQuery({ ...query(getPatchStatus, { params }), enabled: may })
  const scan = useScan(agent, status.data)
  if (!may) return <NoPermission message={FORBIDDEN} />
  const error = patches.error ?? status.error
  if (patches.data === undefined || status.data === undefined) {
    if (error === null) return <SkeletonRows rows={8} />
    if (isRefused(error)) return <NoPermission message={FORBIDDEN} />
    const retry = () => void Promise.all([patches.refetch(), status.refetch()])
    return <ErrorState {...describeError(error)} onRetry={retry} />
  }
  const shown = { search, sort }
  return (
    <div className={list.pane}>
      <PatchTools
        agent={agent}
        patches={patches.data}
        status={status.data}
        shown={shown}
        onSearch={setSearch}
        scan={scan}
        onInstall={setChosen}
      />
      <PatchNotes agent={agent} status={status.data} onShow={setRun} />
      {status.data.looked_at === null ? (
        <EmptyState message={neverLooked(agent)}>
          {scan.reason === undefined && (
            <Button variant="default" loading={scan.busy} onClick={scan.run}>
              Look now
            </Button>
          )}
        </EmptyState>
      ) : (
        <PatchTable patches={patches.data} shown={shown} onSort={setSort} onInstall={setChosen} />
      )}
      {chosen !== undefined && (
        <InstallPatchesDialog agent={agent} patches={chosen} onClose={() => setChosen(undefined)} />
      )}
      {run !== undefined && (
        <InstallRun title={`Patches of ${agent.hostname}`} id={run} onClose={() => setRun(undefined)} />
      )}
    </div>
  )
}

function neverLooked({ hostname, connected }: AgentDetail): string {
  return connected
    ? `${hostname} has not looked for patches yet. It does some minutes after its agent starts, and every six hours.`
    : `${hostname} is not connected, and has not looked for patches yet.`
}
