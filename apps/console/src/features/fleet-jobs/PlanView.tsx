import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { Button, SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { JobPlan, PlannedMachine } from '@muster/contract/api/fleet-jobs'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { countMachines } from './job-labels.ts'
import classes from './Jobs.module.css'

/** Above what a fleet has. */
const ALL_MACHINES = 20_000

interface PlanViewProps {
  plan: JobPlan
  /** Plans the same again, with this many machines. */
  onMore: (limit: number) => Promise<JobPlan>
}

/** A plan before it starts: waves, what each machine will do, and which are skipped and why. */
export function PlanView(props: PlanViewProps) {
  // Another plan begins with its own machines.
  return <PlanOf key={props.plan.hash} {...props} />
}

function PlanOf({ plan: first, onMore }: PlanViewProps) {
  const more = useMutation({ mutationFn: () => onMore(ALL_MACHINES), meta: { errorsShown: true } })
  const plan = more.data ?? first
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const skippedCount = plan.matched - plan.planned
  const [shown, setShown] = useState<'planned' | 'skipped'>(plan.planned === 0 ? 'skipped' : 'planned')
  const machines = plan.machines.filter(({ skip }) => (skip === null) === (shown === 'planned'))
  const total = shown === 'planned' ? plan.planned : skippedCount
  return (
    <div className={classes.plan} role="group" aria-label="Plan">
      <p>
        <strong>{plan.action_text}</strong> on {countMachines(plan.planned)}
        {plan.waves.length > 1 &&
          `, in ${plan.waves.length} waves: ${plan.waves.map(({ size }) => size.toLocaleString('en')).join(', ')}`}
        . {plan.matched.toLocaleString('en')} matched
        {plan.offline === 1 && '; 1 is offline and gets it when it returns'}
        {plan.offline > 1 && `; ${plan.offline.toLocaleString('en')} are offline and get it when they return`}
        .
      </p>
      {plan.skipped.length > 0 && (
        <ul aria-label="Skipped">
          {plan.skipped.map(({ code, reason, count }) => (
            <li key={`${code} ${reason}`}>
              {countMachines(count)} skipped: {reason}
            </li>
          ))}
        </ul>
      )}
      {skippedCount > 0 && (
        <SegmentedControl
          size="xs"
          className={classes.choice ?? ''}
          aria-label="Show machines that are"
          data={[
            { value: 'planned', label: `Planned (${plan.planned.toLocaleString('en')})` },
            { value: 'skipped', label: `Skipped (${skippedCount.toLocaleString('en')})` },
          ]}
          value={shown}
          onChange={(value) => setShown(value === 'skipped' ? 'skipped' : 'planned')}
        />
      )}
      {machines.length > 0 && (
        <div className={classes.planTable}>
          <DataTable
            label="Machines of the plan"
            rows={machines}
            rowKey={({ agent_id }) => agent_id}
            columns={shown === 'planned' ? COLUMNS : SKIPPED_COLUMNS}
            context={undefined}
            rowHeight={28}
            minWidth={560}
            scrollKey={shown}
            card={hasCards ? CARD : undefined}
          />
        </div>
      )}
      {more.error !== null && <FormError error={more.error} />}
      {machines.length < total && (
        <div className={classes.more}>
          <span className="dim">
            The first {machines.length.toLocaleString('en')} of {total.toLocaleString('en')} machines are
            listed.
          </span>
          {more.data === undefined && (
            <Button variant="default" size="xs" loading={more.isPending} onClick={() => more.mutate()}>
              Show more
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const PLACE: readonly DataColumn<PlannedMachine>[] = [
  {
    id: 'hostname',
    title: 'Machine',
    width: 'minmax(120px, 1fr)',
    render: ({ hostname }) => <bdi>{hostname}</bdi>,
  },
  {
    id: 'client',
    title: 'Client / site',
    width: 'minmax(120px, 1fr)',
    render: ({ client_name, site_name }) => (
      <bdi className="dim">
        {client_name} / {site_name}
      </bdi>
    ),
  },
]

const COLUMNS: readonly DataColumn<PlannedMachine>[] = [
  ...PLACE,
  { id: 'wave', title: 'Wave', width: '64px', numeric: true, render: ({ wave }) => wave ?? '' },
  {
    id: 'text',
    title: 'What it does',
    width: 'minmax(180px, 2fr)',
    render: ({ text }) => <bdi>{text}</bdi>,
  },
]

const SKIPPED_COLUMNS: readonly DataColumn<PlannedMachine>[] = [
  ...PLACE,
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(240px, 2fr)',
    render: ({ text }) => <bdi>{text}</bdi>,
  },
]

const CARD: DataCard<PlannedMachine, undefined> = {
  height: 61,
  render: ({ hostname, client_name, site_name, wave, text }) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{hostname}</bdi>
        <bdi className="dim cut">
          {client_name} / {site_name}
        </bdi>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{text}</bdi>
        {wave !== null && <span>wave {wave}</span>}
      </div>
    </>
  ),
}
