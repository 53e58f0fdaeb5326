import { Button } from '@mantine/core'
import type { Patch } from '@muster/contract/agent/patches'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { PatchStatus } from '@muster/contract/api/patches'
import { isFinal } from '@muster/rules/history-state'
import { CsvButton } from '../../ui/CsvButton.tsx'
import { type Refresh, RefreshButton } from '../../ui/RefreshButton.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Time } from '../../ui/Time.tsx'
import type { TableSort } from '../../ui/data-column.ts'
import list from '../../ui/ListPane.module.css'
import type { InstallWish } from './InstallPatchesDialog.tsx'
import { findPatches, patchesTable } from './patch-rows.ts'

interface PatchToolsProps {
  agent: Pick<AgentDetail, 'connected' | 'hostname'>
  patches: readonly Patch[]
  status: PatchStatus
  shown: { search: string; sort: TableSort }
  onSearch: (search: string) => void
  scan: Refresh
  onInstall: (wish: InstallWish) => void
}

/** Search, how old the list is, the file, looking anew, and installing. */
export function PatchTools({ agent, patches, status, shown, onSearch, scan, onInstall }: PatchToolsProps) {
  const found = findPatches(patches, shown.search, shown.sort)
  const security = patches.filter((patch) => patch.security)
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
            <span role="status">{describeCount(found.length, patches.length, security.length)}</span>
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
        {security.length > 0 && security.length < patches.length && (
          <Button
            variant="default"
            size="xs"
            disabled={whyNot !== undefined}
            title={whyNot}
            onClick={() => onInstall({ patches: security, isAll: false })}
          >
            Install security patches
          </Button>
        )}
        {patches.length > 0 && (
          <Button
            size="xs"
            disabled={whyNot !== undefined}
            title={whyNot}
            onClick={() => onInstall({ patches, isAll: true })}
          >
            Install all
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

function describeCount(found: number, all: number, security: number): string {
  const many = `${found === all ? all : `${found} of ${all}`} ${all === 1 ? 'patch' : 'patches'}`
  return security === 0 ? many : `${many}, ${security} for security`
}
