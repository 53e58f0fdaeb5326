import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { MachinePatch, PatchStatus } from '@muster/contract/api/patches'
import { isFinal } from '@muster/rules/agents/history-state'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import { type Refresh, RefreshButton } from '../../ui/inputs/RefreshButton.tsx'
import { SearchField } from '../../ui/inputs/SearchField.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import type { TableSort } from '../../ui/table/data-column.ts'
import list from '../../ui/layout/ListPane.module.css'
import { findPatches, patchesTable } from './patch-rows.ts'

interface PatchToolsProps {
  agent: Pick<AgentDetail, 'connected' | 'hostname'>
  patches: readonly MachinePatch[]
  status: PatchStatus
  shown: { search: string; sort: TableSort }
  onSearch: (search: string) => void
  scan: Refresh
  onInstall: (patches: readonly MachinePatch[]) => void
}

/** Search, how old the list is, the file, looking anew, and installing. */
export function PatchTools({ agent, patches, status, shown, onSearch, scan, onInstall }: PatchToolsProps) {
  const found = findPatches(patches, shown.search, shown.sort)
  const wanted = patches.filter(({ action }) => action !== 'ignore')
  const security = wanted.filter((patch) => patch.security)
  const approved = patches.filter(({ action }) => action === 'approve')
  const whyNot = whyNoInstall(agent, status)
  return (
    <div className={list.tools}>
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
            <span role="status">{describeCount(found.length, patches)}</span>
            <span>
              looked at <Time instant={status.looked_at} relative />
              {!agent.connected && ', not connected now'}
              {status.left_out > 0 && `, ${status.left_out} more are not kept`}
            </span>
          </>
        )}
        <RefreshButton
          label="Look for patches now"
          tip={scan.busy ? 'The machine is looking' : 'Look for patches now'}
          refresh={scan}
        />
        <CsvButton
          of="patches"
          fileName="patches.csv"
          size="xs"
          table={found.length === 0 ? undefined : () => patchesTable(found)}
        />
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
            title={whyNot ?? (approved.length === 0 ? 'No patch is approved.' : undefined)}
            onClick={() => onInstall(approved)}
          >
            Install approved
          </Button>
        )}
      </div>
    </div>
  )
}

function whyNoInstall(
  { connected, hostname }: PatchToolsProps['agent'],
  { last_install: run }: PatchStatus,
): string | undefined {
  if (!connected) return `${hostname} is not connected.`
  return run !== null && !isFinal(run.state) ? 'It is installing already.' : undefined
}

function describeCount(found: number, patches: readonly MachinePatch[]): string {
  const all = patches.length
  const many = `${found === all ? all : `${found} of ${all}`} ${all === 1 ? 'patch' : 'patches'}`
  const count = (test: (patch: MachinePatch) => boolean) => patches.filter(test).length
  return [
    many,
    ...sumOf(
      count(({ security }) => security),
      'for security',
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
