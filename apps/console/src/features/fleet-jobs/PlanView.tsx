import type { JobPlan, PlannedMachine } from '@muster/contract/api/fleet-jobs'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { countMachines } from './job-labels.ts'
import classes from './Jobs.module.css'

/** A plan before it starts: waves, what each machine will do, and which are skipped and why. */
export function PlanView({ plan }: { plan: JobPlan }) {
  return (
    <div className={classes.plan} role="group" aria-label="Plan">
      <p>
        <strong>{plan.action_text}</strong> on {countMachines(plan.planned)}
        {plan.waves.length > 1 &&
          `, in ${plan.waves.length} waves: ${plan.waves.map(({ size }) => size.toLocaleString('en')).join(', ')}`}
        . {plan.matched.toLocaleString('en')} matched
        {plan.offline > 0 && `; ${plan.offline.toLocaleString('en')} are offline and get it when they return`}
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
      {plan.machines.length > 0 && (
        <div className={classes.planTable}>
          <DataTable
            label="Planned machines"
            rows={plan.machines}
            rowKey={({ agent_id }) => agent_id}
            columns={COLUMNS}
            context={undefined}
            rowHeight={28}
            minWidth={560}
          />
        </div>
      )}
      {plan.machines.length < plan.matched && (
        <p className="dim">The first {plan.machines.length.toLocaleString('en')} machines are listed.</p>
      )}
    </div>
  )
}

const COLUMNS: readonly DataColumn<PlannedMachine>[] = [
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
  { id: 'wave', title: 'Wave', width: '64px', numeric: true, render: ({ wave }) => wave ?? '' },
  {
    id: 'text',
    title: 'What it does',
    width: 'minmax(180px, 2fr)',
    render: ({ text, skip }) => <bdi className={skip === null ? undefined : 'dim'}>{text}</bdi>,
  },
]
