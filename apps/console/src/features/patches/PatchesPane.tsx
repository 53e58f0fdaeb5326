import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Button, SegmentedControl } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { MAX_INSTALLED_PATCHES } from '@muster/contract/agent/patches'
import {
  getPatchStatus,
  installPatches,
  listPatches,
  type MachinePatch,
  type PatchStatus,
  scanPatches,
} from '@muster/contract/api/patches'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isFinal } from '@muster/rules/agents/history-state'
import { IconAlertTriangle, IconRotateClockwise } from '@tabler/icons-react'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useMay, useServerMachineReason } from '../../app/api/queries.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { InstallDialog, InstallRun } from '../runs/InstallDialog.tsx'
import { type Refresh, RefreshButton } from '../../ui/inputs/RefreshButton.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { RunState } from '../runs/RunState.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import type { TableSort } from '../../ui/table/data-column.ts'
import { InstalledPatchTable } from './InstalledPatchTable.tsx'
import { PatchTable } from './PatchTable.tsx'
import classes from './Patches.module.css'
import { findPatches, installedTable, patchesTable } from './patch-rows.ts'
import { PatchPolicyNote } from './policy/PatchPolicyNote.tsx'

const FORBIDDEN = 'Your role does not allow you to see the patches of machines.'

/** Pending or installed patches of a machine, as of its last reports, and the current installation. */
export function PatchesPane({ agent }: { agent: AgentDetail }) {
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState({ column: 'severity', descending: false })
  const [lists, setLists] = useState<Lists>('pending')
  const [chosen, setChosen] = useState<readonly MachinePatch[]>()
  const [run, setRun] = useState<number>()
  const params = { agent_id: agent.agent_id }
  const pane = { needs: 'can_manage_winupdates', refused: FORBIDDEN, rows: 8 } as const
  const patches = useQueryPane(query(listPatches, { params }), pane)
  const status = useQueryPane(query(getPatchStatus, { params }), pane)
  const scan = useScan(agent, status.data)
  if (patches.data === undefined) return patches.instead
  if (status.data === undefined) return status.instead
  const shown = { search, sort }
  const pending = patches.data.filter(({ installed }) => !installed)
  const installed = patches.data.filter((patch) => patch.installed)
  return (
    <div className={list.pane}>
      <PatchTools
        agent={agent}
        patches={pending}
        installed={installed}
        lists={lists}
        onLists={setLists}
        status={status.data}
        shown={shown}
        onSearch={setSearch}
        scan={scan}
        onInstall={setChosen}
      />
      <PatchNotes agent={agent} status={status.data} onShow={setRun} />
      <PatchPolicyNote agent={agent} />
      {lists === 'installed' ? (
        <InstalledPatchTable patches={installed} search={search} />
      ) : status.data.looked_at === null ? (
        <EmptyState message={notScanned(agent)}>
          {scan.reason === undefined && (
            <Button variant="default" loading={scan.busy} onClick={scan.run}>
              Start scan
            </Button>
          )}
        </EmptyState>
      ) : (
        <PatchTable
          patches={pending}
          hasProblem={status.data.problem !== null}
          shown={shown}
          onSort={setSort}
          onInstall={setChosen}
        />
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

type Lists = 'pending' | 'installed'

function notScanned({ hostname, connected }: AgentDetail): string {
  return connected
    ? `No patch scan of ${hostname} yet. The agent scans every six hours.`
    : `${hostname} is offline. No patch scan yet.`
}

/** Starts a patch scan; busy until it has reported. Seconds on Linux, minutes on Windows. */
function useScan({ agent_id, hostname, connected }: AgentDetail, status: PatchStatus | undefined): Refresh {
  /** Time of the last scan at the request; null = never. */
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
    reason: connected ? undefined : `${hostname} is offline.`,
  }
}

interface InstallPatchesDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  patches: readonly MachinePatch[]
  onClose: () => void
}

/** Names the patches and the machine, asks, and shows the output. */
function InstallPatchesDialog({ agent, patches, onClose }: InstallPatchesDialogProps) {
  const queryClient = useQueryClient()
  const params = { agent_id: agent.agent_id }
  const [only] = patches
  const what = patches.length === 1 && only !== undefined ? only.title : `${patches.length} patches`
  return (
    <InstallDialog
      title={`Install ${what} on ${agent.hostname}?`}
      message={
        <div className={classes.message}>
          <p>Replaced programs may stop for a moment. A started installation cannot be stopped.</p>
          <p>
            {patches.some((patch) => patch.needs_reboot)
              ? 'The machine needs a restart afterwards, which is not automatic.'
              : 'The machine does not restart automatically.'}
          </p>
        </div>
      }
      confirmLabel="Install"
      start={async () => {
        const body = { guids: patches.map(({ guid }) => guid) }
        const { run } = await call(installPatches, { params, body })
        if (run === null) throw new Error('named patches are installed or refused')
        await queryClient.invalidateQueries({ queryKey: queryKey(getPatchStatus, { params }) })
        return run
      }}
      onClose={onClose}
    />
  )
}

interface PatchNotesProps {
  agent: AgentDetail
  status: PatchStatus
  onShow: (run: number) => void
}

/** The error of the last scan, the current or last installation, and a due restart. */
function PatchNotes({ agent, status, onShow }: PatchNotesProps) {
  const { problem, last_install: run } = status
  const mayReboot = useMay('can_reboot_agents')
  const { open } = useDialog()
  return (
    <>
      {problem !== null && (
        <div className={classes.note} role="note">
          <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
          <span className={classes.text}>{problem}</span>
        </div>
      )}
      {agent.needs_reboot && (
        <div className={classes.note} role="note">
          <IconRotateClockwise size={16} stroke={1.75} aria-hidden />
          <span className={classes.text}>Restart {agent.hostname} to finish the installation.</span>
          {mayReboot && agent.connected && (
            <Button size="compact-xs" variant="default" onClick={() => open('reboot', agent.agent_id)}>
              Reboot now
            </Button>
          )}
          {mayReboot && (
            <Button size="compact-xs" variant="default" onClick={() => open('reboot-later', agent.agent_id)}>
              Reboot later
            </Button>
          )}
        </div>
      )}
      {run !== null && (
        <div className={classes.note} role="status">
          <RunState run={run} />
          <span className={classes.text}>
            {isFinal(run.state) ? 'Last installation' : 'Installing'}, for <bdi>{run.username}</bdi>,{' '}
            <Time instant={run.finished_at ?? run.time} relative />
            {run.reason !== null && `: ${run.reason}`}
          </span>
          <Button size="compact-xs" variant="default" onClick={() => onShow(run.id)}>
            Show output
          </Button>
        </div>
      )}
    </>
  )
}

interface PatchToolsProps {
  agent: Pick<AgentDetail, 'connected' | 'hostname' | 'server_machine'>
  patches: readonly MachinePatch[]
  installed: readonly MachinePatch[]
  lists: Lists
  onLists: (lists: Lists) => void
  status: PatchStatus
  shown: { search: string; sort: TableSort }
  onSearch: (search: string) => void
  scan: Refresh
  onInstall: (patches: readonly MachinePatch[]) => void
}

/** Search, age of the list, CSV download, scan and install buttons. */
function PatchTools(props: PatchToolsProps) {
  const { agent, patches, installed, lists, onLists, status, shown, onSearch, scan } = props
  const isPending = lists === 'pending'
  const all = isPending ? patches : installed
  const found = findPatches(all, shown.search, isPending ? shown.sort : { column: 'date', descending: true })
  return (
    <div className={list.tools}>
      <SegmentedControl
        size="xs"
        aria-label="Patches to show"
        data={[
          { value: 'pending', label: 'Pending' },
          { value: 'installed', label: 'Installed' },
        ]}
        value={lists}
        onChange={(value) => onLists(value === 'installed' ? 'installed' : 'pending')}
      />
      <SearchField
        label="Search patches"
        placeholder="Name, KB, severity"
        value={shown.search}
        onSearch={onSearch}
        className={list.search}
      />
      <div className={list.sums}>
        {status.looked_at !== null && (
          <>
            {(all.length > 0 || status.problem === null) && (
              <span role="status">{describeCount(found.length, all)}</span>
            )}
            <span>
              scanned <Time instant={status.looked_at} relative />
              {!agent.connected && ', offline now'}
              {isPending && status.left_out > 0 && `, ${status.left_out} more not stored`}
              {installed.length === MAX_INSTALLED_PATCHES && !isPending && ', the newest'}
            </span>
          </>
        )}
        <RefreshButton
          label="Scan for patches"
          tip={scan.busy ? 'Scan in progress' : 'Scan for patches'}
          refresh={scan}
        />
        <CsvButton
          of={isPending ? 'patches' : 'installed patches'}
          fileName={isPending ? 'patches.csv' : 'installed-patches.csv'}
          size="xs"
          table={
            found.length === 0 ? undefined : () => (isPending ? patchesTable(found) : installedTable(found))
          }
        />
        {isPending && <InstallButtons {...props} />}
      </div>
    </div>
  )
}

function InstallButtons({ agent, patches, status, onInstall }: PatchToolsProps) {
  const wanted = patches.filter(({ action }) => action !== 'ignore')
  const security = wanted.filter((patch) => patch.security)
  const approved = patches.filter(({ action }) => action === 'approve')
  const whyNot = useServerMachineReason(agent) ?? whyNoInstall(agent, status)
  return (
    <>
      {security.length > 0 && security.length < wanted.length && (
        <Button
          variant="default"
          size="xs"
          disabled={whyNot !== undefined}
          title={whyNot}
          onClick={() => onInstall(security)}
        >
          Install security patches
        </Button>
      )}
      {wanted.length > 0 && (
        <Button
          variant="default"
          size="xs"
          disabled={whyNot !== undefined}
          title={whyNot}
          onClick={() => onInstall(wanted)}
        >
          Install all
        </Button>
      )}
      {patches.length > 0 && (
        <Button
          size="xs"
          disabled={whyNot !== undefined || approved.length === 0}
          title={whyNot ?? (approved.length === 0 ? 'No approved patches' : undefined)}
          onClick={() => onInstall(approved)}
        >
          Install approved
        </Button>
      )}
    </>
  )
}

function whyNoInstall(
  { connected, hostname }: PatchToolsProps['agent'],
  { last_install: run }: PatchStatus,
): string | undefined {
  if (!connected) return `${hostname} is offline.`
  return run !== null && !isFinal(run.state) ? 'Installation in progress.' : undefined
}

function describeCount(found: number, patches: readonly MachinePatch[]): string {
  const all = patches.length
  const many = `${found === all ? all : `${found} of ${all}`} ${all === 1 ? 'patch' : 'patches'}`
  const count = (test: (patch: MachinePatch) => boolean) => patches.filter(test).length
  return [
    many,
    ...sumOf(
      count(({ security }) => security),
      'security',
    ),
    ...sumOf(
      count(({ action }) => action === 'approve'),
      'approved',
    ),
    ...sumOf(
      count(({ action }) => action === 'ignore'),
      'ignored',
    ),
  ].join(', ')
}

function sumOf(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`]
}
