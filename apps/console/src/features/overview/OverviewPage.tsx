import { Button } from '@mantine/core'
import { getOverview, type Overview, type OverviewCauses } from '@muster/contract/calls/overview'
import { PART_SEARCHES } from '@muster/rules/agents/fleet-parts'
import { keepPreviousData } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import { FleetBar, FleetLegend } from './FleetBar.tsx'
import classes from './Overview.module.css'
import { toAlerts, toMachines, toMetrics, toResolvedAlerts } from './overview-links.ts'
import type { Part } from './OverviewSide.tsx'
import { describeHealthy, listProblems, machines, type Problem } from './overview-sentence.ts'

/** How often "tomorrow" may become "today". */
const TICK_MS = 60_000
/** Times pass, and machines fall silent, without an event. */
const REFETCH_MS = 30_000

/** Problems on the machines of all clients, or of one: the worst first, each number with a link to its machines. */
export function OverviewPage() {
  usePageTitle('Overview')
  const { client: chosen } = useSearch({ from: '/signed-in/gated/frame/overview' })
  const client = chosen === undefined ? undefined : Number(chosen)
  const { data, instead } = useQueryPane(
    {
      ...query(getOverview, { query: client === undefined ? {} : { client } }),
      placeholderData: keepPreviousData,
      refetchInterval: REFETCH_MS,
    },
    {
      needs: 'can_list_agents',
      refused: 'Your role does not allow you to see machines.',
      rows: 10,
    },
  )
  if (data === undefined) return <div className={classes.page}>{instead}</div>
  const shown = { overview: data, client }
  return (
    <div className={classes.page}>
      <div className={classes.content}>
        <OverviewHead {...shown} />
        <Suspense>
          <OverviewMain {...shown} />
        </Suspense>
      </div>
      <aside className={classes.side} aria-label="Clients, jobs and maintenance">
        <Suspense>
          <OverviewSide {...shown} />
        </Suspense>
      </aside>
    </div>
  )
}

// Loaded after the head, whose numbers are painted first.
const OverviewMain = lazyPart(() => import('./OverviewMain.tsx').then((file) => file.OverviewMain))
const ClientSelect = lazyPart(() => import('./OverviewMain.tsx').then((file) => file.ClientSelect))
const OverviewSide = lazyPart(() => import('./OverviewSide.tsx').then((file) => file.OverviewSide))

function OverviewHead({ overview, client }: Part) {
  const { machines: total, connected, counts } = overview
  return (
    <header className={classes.head}>
      <div className={classes.headLine}>
        <h1 className={classes.sentence}>
          {total === 0 ? 'Overview' : <Sentence overview={overview} client={client} />}
        </h1>
        <Suspense fallback={<div className={classes.client} />}>
          <ClientSelect client={client} />
        </Suspense>
      </div>
      {total > 0 && (
        <>
          <p className={classes.below}>
            <Link {...toMachines('status:online', client)} className={classes.quiet}>
              {connected.toLocaleString('en')} of {total.toLocaleString('en')}
            </Link>{' '}
            {machines(total)} connected
          </p>
          {overview.causes !== null && <SinceYesterday causes={overview.causes} client={client} />}
          <FleetBar counts={counts} client={client} />
          <FleetLegend counts={counts} client={client} />
          {counts.unchecked > 0 && <UncheckedLine overview={overview} client={client} />}
        </>
      )}
    </header>
  )
}

/** "6 machines overdue, 41 machines with failing checks." */
function Sentence({ overview, client }: Part) {
  const nowMs = useNow(TICK_MS)
  const problems = listProblems(overview, nowMs)
  if (isNothingChecked(overview)) return <Unchecked count={overview.machines} client={client} />
  if (problems.length === 0) return describeHealthy(overview)
  return (
    <>
      {problems.map((problem, index) => (
        <span key={problem.text}>
          {index > 0 && ', '}
          <Link {...linkOf(problem, client)} className={classes.problem}>
            <span className={classes.problemCount} data-tone={problem.tone}>
              {problem.count.toLocaleString('en')}
            </span>{' '}
            {problem.text}
          </Link>
        </span>
      ))}
      .
    </>
  )
}

/** "Since yesterday: 3 new causes, 5 resolved" */
function SinceYesterday({ causes, client }: { causes: OverviewCauses; client: number | undefined }) {
  const { new_since_yesterday: opened, gone_since_yesterday: gone } = causes
  const parts = [
    { count: opened, text: `new ${opened === 1 ? 'cause' : 'causes'}`, to: toAlerts(undefined, client) },
    { count: gone, text: 'resolved', to: toResolvedAlerts(client) },
  ].filter(({ count }) => count > 0)
  if (parts.length === 0) return null
  return (
    <p className={classes.below}>
      Since yesterday:{' '}
      {parts.map(({ count, text, to }, index) => (
        <span key={text}>
          {index > 0 && ', '}
          <Link {...to} className={classes.quiet}>
            {count} {text}
          </Link>
        </span>
      ))}
    </p>
  )
}

const isNothingChecked = ({ machines: total, counts }: Overview) => counts.unchecked === total

function Unchecked({ count, client }: { count: number; client: number | undefined }) {
  return (
    <>
      Nothing is checked on{' '}
      <Link {...toMachines(PART_SEARCHES.unchecked, client)} className={classes.quiet}>
        {count.toLocaleString('en')} {machines(count)}
      </Link>
      .
    </>
  )
}

/** Offers policies for all machines, or for the only client. */
function UncheckedLine({ overview, client }: Part) {
  const mayAssign = useMay('can_manage_automation_policies')
  const { open } = useDialog()
  const { clients, counts } = overview
  const only = client ?? (clients.length === 1 ? clients[0]?.id : undefined)
  return (
    <div className={classes.unchecked}>
      {!isNothingChecked(overview) && (
        <span>
          <Unchecked count={counts.unchecked} client={client} />
        </span>
      )}
      {mayAssign && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => open('assign-policies', only === undefined ? 'default-all' : `client-${only}`)}
        >
          Assign policy
        </Button>
      )}
    </div>
  )
}

function linkOf(problem: Problem, client: number | undefined) {
  if ('search' in problem) return toMachines(problem.search, client)
  if ('cause' in problem) return toAlerts(problem.cause, client)
  return toMetrics(problem.agent)
}
