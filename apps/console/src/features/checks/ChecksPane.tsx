import { Button, Menu, Tooltip } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type Check, listAgentChecks } from '@muster/contract/api/checks'
import {
  IconChevronDown,
  IconDatabaseOff,
  IconPlayerPlay,
  IconPlugX,
  IconPlus,
  IconRestore,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listDroppedResults } from '@muster/contract/api/timeline'
import { query } from '../../app/api/api.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { CheckTable } from './CheckTable.tsx'
import classes from './ChecksPane.module.css'
import { countChecks } from './check-labels.ts'
import { NewCheckItems } from './NewCheckItems.tsx'
import { type CheckActions, useCheckActions } from './use-check-actions.ts'

const TICK_MS = 10_000
const REFUSED = 'Your role does not allow you to see checks.'

/** The checks of a machine with their last results; live. */
export function ChecksPane({ agent }: { agent: AgentDetail }) {
  const options = query(listAgentChecks, { params: { agent_id: agent.agent_id }, query: {} })
  const { data: checks, instead } = useQueryPane(options, {
    needs: 'can_list_checks',
    refused: REFUSED,
    rows: 6,
  })
  const actions = useCheckActions(agent)
  if (checks === undefined) return instead
  if (checks.length === 0) return <NoChecks agent={agent} mayManage={actions.mayManage} />
  return (
    <div className={classes.pane}>
      <ChecksTools agent={agent} checks={checks} actions={actions} />
      {!agent.connected && (
        <p className={classes.away} role="status">
          <IconPlugX size={16} stroke={1.75} aria-hidden />
          {agent.hostname} is offline. Checks continue; results arrive when it reconnects.
        </p>
      )}
      <DroppedResults agent={agent} />
      <CheckTable agent={agent} checks={checks} actions={actions} />
    </div>
  )
}

interface ChecksToolsProps {
  agent: AgentDetail
  checks: readonly Check[]
  actions: CheckActions
}

function ChecksTools({ agent, checks, actions }: ChecksToolsProps) {
  const { mayManage, runAll, runReason, isStarting, resetAll } = actions
  const [asking, setAsking] = useState(false)
  const nowMs = useNow(TICK_MS)
  return (
    <div className={classes.tools}>
      <span className={classes.counts}>{countChecks(checks, nowMs)}</span>
      <Tooltip label={runReason} disabled={runReason === undefined}>
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} stroke={1.75} aria-hidden />}
          loading={isStarting}
          // Focusable although disabled, so that the reason can be read.
          {...(runReason === undefined ? {} : { 'data-disabled': true, 'aria-disabled': true })}
          onClick={() => runReason === undefined && runAll()}
        >
          Run checks now
        </Button>
      </Tooltip>
      {mayManage && (
        <>
          <Button
            variant="default"
            leftSection={<IconRestore size={16} stroke={1.75} aria-hidden />}
            onClick={() => setAsking(true)}
          >
            Clear all statuses
          </Button>
          <NewCheck agent={agent} />
        </>
      )}
      {asking && (
        <ConfirmDialog
          title={`Clear the status of all checks on ${agent.hostname}?`}
          message="Each check is pending until its next run. The history stays."
          confirmLabel="Clear statuses"
          busy={resetAll.isPending}
          onConfirm={() => resetAll.mutate(undefined, { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}

function NoChecks({ agent, mayManage }: { agent: AgentDetail; mayManage: boolean }) {
  if (!mayManage) return <EmptyState message={`${agent.hostname} has no checks.`} />
  return (
    <EmptyState message={`${agent.hostname} has no checks yet. Add one to start measuring.`}>
      <NewCheck agent={agent} />
    </EmptyState>
  )
}

/** A menu button with the check types. */
function NewCheck({ agent }: { agent: AgentDetail }) {
  const { open } = useDialog()
  return (
    <Menu position="bottom-end" withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
          rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
        >
          New check
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <NewCheckItems plat={agent.plat} onPick={(type) => open('add-check', `${agent.agent_id}.${type}`)} />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Notes that results are missing from the history; nothing if complete. */
function DroppedResults({ agent }: { agent: AgentDetail }) {
  const { data: drops = [] } = useQuery(query(listDroppedResults, { params: { agent_id: agent.agent_id } }))
  const newest = drops[0]
  const oldest = drops.at(-1)
  if (newest === undefined || oldest === undefined) return null
  const count = drops.reduce((sum, drop) => sum + drop.count, 0)
  const zone = agent.time_zone ?? agent.timezone
  return (
    <p className={classes.away} role="status">
      <IconDatabaseOff size={16} stroke={1.75} aria-hidden />
      <span>
        {count} {count === 1 ? 'result is' : 'results are'} missing from{' '}
        <Time instant={oldest.from} machineZone={zone} /> to <Time instant={newest.to} machineZone={zone} />.
        The server was unreachable for longer than {agent.hostname} stores results.
      </span>
    </p>
  )
}
