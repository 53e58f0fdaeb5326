import { MultiSelect } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { MOST_COMPARED } from '@muster/contract/api/metrics'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { machineNamesQuery, namesOf } from '../alerts/templates/machine-names.ts'
import { useHistoryView } from '../checks/use-history-view.ts'
import classes from './Compare.module.css'
import { CompareTable } from './CompareTable.tsx'
import { CompareTools } from './CompareTools.tsx'
import { labelOf } from './compare-words.ts'
import { useComparison } from './use-comparison.ts'

const CompareGraph = lazyPart(() => import('./CompareGraph.tsx').then((file) => file.CompareGraph))
const TITLE = 'Compare machines'
const GRAPH_PX = 320
/** Between the machines in the address. */
const BETWEEN = '.'

/** One number of up to ten machines on one graph. What it is stands in `item`; the machines, time and form in `filter`. */
export function CompareDialog({ item = 'cpu', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_agents" onClose={close} size="xl">
      <Dialog title={TITLE} size="xl" onClose={close}>
        <Compare what={item} />
      </Dialog>
    </GuardedDialog>
  )
}

function Compare({ what }: { what: string }) {
  const { view, change } = useHistoryView()
  const navigate = useNavigate()
  const agents = view.series?.split(BETWEEN).filter(Boolean) ?? []
  const { data: kept, error, refetch } = useComparison({ what, agents, range: view.range })
  const data = agents.length === 0 ? undefined : kept
  return (
    <div className={classes.content}>
      <Machines
        agents={agents}
        names={new Map(data?.lines.map(({ agent_id, hostname }) => [agent_id, hostname]))}
        onChange={(next) => change({ series: next.length === 0 ? undefined : next.join(BETWEEN) })}
      />
      <CompareTools
        what={what}
        data={data}
        view={view}
        change={change}
        onWhat={(next) =>
          void navigate({ to: '.', search: (old) => ({ ...old, item: next }), replace: true })
        }
      />
      {agents.length === 0 ? (
        <EmptyState message="Choose the machines to compare. Each becomes a line on the graph." />
      ) : data === undefined || (error !== null && agents.length > MOST_COMPARED) ? (
        <div className={classes.place}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
        </div>
      ) : data.lines.every(({ points }) => points.length === 0) ? (
        <div className={classes.place}>
          <EmptyState message="None of these machines has measured this in this time. Choose a longer one, or something else." />
        </div>
      ) : view.asTable ? (
        <div className={classes.place}>
          <CompareTable lines={data.lines} unit={data.unit} />
        </div>
      ) : (
        <Suspense fallback={<div className={classes.place} />}>
          <CompareGraph
            label={`${labelOf(what, data.choices)} of ${data.lines.length === 1 ? 'one machine' : `${data.lines.length} machines`} over time`}
            lines={data.lines}
            unit={data.unit}
            range={data.range}
            height={GRAPH_PX}
            onZoom={(range) => change({ range })}
          />
        </Suspense>
      )}
    </div>
  )
}

interface MachinesProps {
  agents: string[]
  /** Of those that are on the graph, should the list of all not be there yet. */
  names: ReadonlyMap<string, string>
  onChange: (agents: string[]) => void
}

function Machines({ agents, names, onChange }: MachinesProps) {
  const { data: machines = [] } = useQuery({ ...machineNamesQuery, placeholderData: keepPreviousData })
  const [isRefused, setIsRefused] = useState(false)
  const known = namesOf(machines)
  const others = agents
    .filter((agentId) => !known.some(({ value }) => value === agentId))
    .map((value) => ({ value, label: names.get(value) ?? `unknown (${value})` }))
  const tooMany = isRefused || agents.length > MOST_COMPARED
  return (
    <MultiSelect
      label="Machines"
      description={`Up to ${MOST_COMPARED}`}
      placeholder={agents.length === 0 ? 'Choose machines' : ''}
      error={
        tooMany
          ? `At most ${MOST_COMPARED} machines can be compared. Take one away to add another.`
          : undefined
      }
      data={[...known, ...others]}
      value={agents}
      onChange={(next) => {
        const isMore = next.length > MOST_COMPARED && next.length > agents.length
        setIsRefused(isMore)
        if (!isMore) onChange(next)
      }}
      searchable
      hidePickedOptions
      nothingFoundMessage="No such machine"
      limit={200}
      data-autofocus
    />
  )
}
