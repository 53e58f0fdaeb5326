import { Button } from '@mantine/core'
import { listPolicyChecks, listPolicyTasks, type Policy, runPolicyTask } from '@muster/contract/api/policies'
import type { TaskOfPolicy } from '@muster/contract/policies/policy-items'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { notify } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { Section } from '../../ui/layout/Section.tsx'
import { MachinesButton, StatusCounts } from './ItemStatus.tsx'
import policyClasses from './Policies.module.css'
import classes from './PolicyOverview.module.css'
import { countMachines } from './policy-labels.ts'

/** The saved checks and tasks of a policy, and their status on its machines. */
export function OverviewDetail({ policy }: { policy: Policy }) {
  const { id, name, desc, active, agents_count } = policy
  return (
    <section className={classes.detail} aria-label={`Policy ${name}`}>
      <div className={policyClasses.lineText}>
        <Link
          className={`${policyClasses.link} strong`}
          to="/policies/$policy_id"
          params={{ policy_id: `${id}` }}
        >
          <bdi>{name}</bdi>
        </Link>
        <p className="dim small">
          {active ? `Applies to ${countMachines(agents_count)}.` : 'Inactive: applies to no machine.'}{' '}
          <bdi>{desc}</bdi>
        </p>
      </div>
      <Checks id={id} />
      <Tasks id={id} />
    </section>
  )
}

function Checks({ id }: { id: number }) {
  const { data: checks, error, refetch } = useQuery(query(listPolicyChecks, { params: { id } }))
  return (
    <Items title="Checks" none="No checks" {...{ items: checks, error, refetch }}>
      {(check) => (
        <>
          <div className={policyClasses.lineText}>
            <p>
              <bdi>{check.readable_desc}</bdi>
            </p>
            {check.assignedtasks.length > 0 && (
              <p className="dim small">
                On failure: <bdi>{check.assignedtasks.map((task) => task.name).join(', ')}</bdi>
              </p>
            )}
          </div>
          <StatusCounts counts={check.counts} />
          <MachinesButton kind="check" id={check.id} name={check.readable_desc} />
        </>
      )}
    </Items>
  )
}

function Tasks({ id }: { id: number }) {
  const { data: tasks, error, refetch } = useQuery(query(listPolicyTasks, { params: { id } }))
  const mayRun = useMay('can_run_autotasks')
  const [asked, setAsked] = useState<TaskOfPolicy>()
  return (
    <Items title="Tasks" none="No tasks" {...{ items: tasks, error, refetch }}>
      {(task) => (
        <>
          <div className={policyClasses.lineText}>
            <p>
              <bdi>{task.name}</bdi>
            </p>
            <p className="dim small">
              {task.enabled ? task.schedule : 'Disabled.'}{' '}
              {task.check_name !== null && <bdi>{task.check_name}</bdi>}
            </p>
          </div>
          <StatusCounts counts={task.counts} />
          <span className={policyClasses.buttons}>
            {mayRun && task.enabled && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Run ${task.name}`}
                onClick={() => setAsked(task)}
              >
                Run task
              </Button>
            )}
            <MachinesButton kind="task" id={task.id} name={task.name} />
          </span>
          {asked?.id === task.id && <RunTask task={task} onClose={() => setAsked(undefined)} />}
        </>
      )}
    </Items>
  )
}

function RunTask({ task, onClose }: { task: TaskOfPolicy; onClose: () => void }) {
  const run = useMutation({
    mutationFn: () => call(runPolicyTask, { params: { id: task.id } }),
    onSuccess: ({ sent, offline }) => {
      const away = offline === 0 ? '' : ` ${countMachines(offline)} offline.`
      notify(`Sent to ${countMachines(sent)}.${away}`, { tone: sent === 0 ? 'warning' : 'positive' })
    },
  })
  const { passing, failing, pending } = task.counts
  return (
    <ConfirmDialog
      title={`Run ${task.name} now?`}
      message={`Runs on each online machine of ${countMachines(passing + failing + pending)}.`}
      confirmLabel="Run task"
      busy={run.isPending}
      onConfirm={() => run.mutateAsync()}
      onClose={onClose}
    />
  )
}

interface ItemsProps<Item> {
  title: string
  none: string
  items: readonly Item[] | undefined
  error: Error | null
  refetch: () => unknown
  children: (item: Item) => ReactNode
}

function Items<Item extends { id: number }>(props: ItemsProps<Item>) {
  const { title, none, items, error, refetch, children } = props
  return (
    <Section title={title}>
      {items === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={2} />
      ) : items.length === 0 ? (
        <p className="dim small">{none}</p>
      ) : (
        <ul className="plain-list" aria-label={`${title} of the policy`}>
          {items.map((item) => (
            <li key={item.id} className={`${policyClasses.line} ${policyClasses.choiceLine}`}>
              {children(item)}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
