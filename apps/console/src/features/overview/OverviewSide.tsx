import type { FleetJob } from '@muster/contract/api/fleet-jobs'
import type { Overview, OverviewMaintenance, OverviewNext as Next } from '@muster/contract/api/overview'
import { type FleetPart, PART_SEARCHES } from '@muster/rules/agents/fleet-parts'
import { formatRelativeTime } from '@muster/rules/text/units'
import { IconCalendarEvent, IconPackage, IconTool } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Time } from '../../ui/layout/Time.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import { JobStateMark, ProgressBar } from '../fleet-jobs/JobMarks.tsx'
import { progressText } from '../fleet-jobs/job-labels.ts'
import { describePart, PartMark, SmallFleetBar } from './FleetBar.tsx'
import classes from './Overview.module.css'
import { toMachines, toPatches } from './overview-links.ts'
import { machines } from './overview-sentence.ts'
import section from '../../ui/layout/Section.module.css'
import { Section } from '../../ui/layout/Section.tsx'

const TICK_MS = 10_000
const DAY_MS = 86_400_000

export interface Part {
  overview: Overview
  client: number | undefined
}

/** Clients, jobs and maintenance. */
export function OverviewSide({ overview, client }: Part) {
  return (
    <>
      <OverviewClients overview={overview} client={client} />
      <OverviewJobs jobs={overview.jobs} />
      <OverviewInMaintenance overview={overview} client={client} />
      {!isCalm(overview) && <OverviewNext next={overview.next} client={client} />}
    </>
  )
}

/** Then what comes next stands first. */
export const isCalm = ({ causes, disks }: Overview) => (causes?.total ?? 0) === 0 && disks.total === 0

/** Missing patches, and machines that need a reboot. */
export function OverviewPatches({ overview: { patches, needs_reboot: reboot }, client }: Part) {
  const nowMs = useNow(TICK_MS)
  const { critical = 0, important = 0, oldest_critical: oldest = null, undecided = 0 } = patches ?? {}
  if (critical + important + undecided + reboot === 0) return null
  const age = oldest === null ? 0 : Math.floor((nowMs - Date.parse(oldest)) / DAY_MS)
  const oldestText = age < 1 ? '' : `, oldest ${age === 1 ? '1 day' : `${age} days`}`
  const miss = (count: number) => `${machines(count)} ${count === 1 ? 'misses' : 'miss'}`
  const lines = [
    { count: critical, text: `${miss(critical)} a critical patch${oldestText}`, tone: 'negative', to: toMachines('patch:critical', client) },
    { count: important, text: `${miss(important)} an important patch`, tone: 'warning', to: toMachines('patch:important', client) },
    { count: undecided, text: `${undecided === 1 ? 'patch waits' : 'patches wait'} for approval`, tone: undefined, to: toPatches(client, { decision: 'undecided' }) },
    { count: reboot, text: `${machines(reboot)} ${reboot === 1 ? 'needs' : 'need'} a reboot`, tone: undefined, to: toMachines('is:rebootneeded', client) },
  ] // prettier-ignore
  return (
    <Section
      title="Patches"
      {...(patches === null
        ? {}
        : {
            tools: (
              <Link {...toPatches(client)} className={section.link}>
                All patches
              </Link>
            ),
          })}
    >
      <ul className={classes.lines}>
        {lines
          .filter(({ count }) => count > 0)
          .map(({ count, text, tone, to }) => (
            <li key={text} className={classes.line}>
              <Link {...to} className={classes.lineCount} data-tone={tone} aria-label={`${count} ${text}`}>
                {count.toLocaleString('en')}
              </Link>
              <span>{text}</span>
            </li>
          ))}
      </ul>
    </Section>
  )
}

const COLUMNS = ['overdue', 'failing', 'warning'] as const satisfies readonly FleetPart[]
const SHOWN_CLIENTS = 20

/** Each client with its own bar, worst first. A client limits the page to it. */
function OverviewClients({ overview: { clients }, client }: Part) {
  if (client !== undefined || clients.length < 2) return null
  const more = clients.length - SHOWN_CLIENTS
  return (
    <Section
      title="Clients"
      note={more > 0 ? `worst first, ${SHOWN_CLIENTS} of ${clients.length}` : 'worst first'}
    >
      <table className={`${classes.table} ${classes.clients}`}>
        <thead className="read-only-aloud">
          <tr>
            <th scope="col">Client</th>
            {COLUMNS.map((part) => (
              <th key={part} scope="col">
                {part}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clients.slice(0, SHOWN_CLIENTS).map(({ id, name, machines: total, counts }) => (
            <tr key={id}>
              <th scope="row">
                <span className={classes.clientLine}>
                  <Link to="/overview" search={{ client: `${id}` }} className={classes.name}>
                    <bdi>{name}</bdi>
                  </Link>
                  <Link
                    {...toMachines('', id)}
                    className={classes.clientTotal}
                    aria-label={`${total} ${machines(total)} of ${name}`}
                  >
                    {total.toLocaleString('en')}
                  </Link>
                </span>
                <SmallFleetBar counts={counts} />
              </th>
              {COLUMNS.map((part) => (
                <td key={part} className={classes.number}>
                  {counts[part] === 0 ? (
                    <span className="dim">–</span>
                  ) : (
                    <Link
                      {...toMachines(PART_SEARCHES[part], id)}
                      className={classes.partCount}
                      aria-label={`${name}: ${describePart(part, counts[part])}`}
                    >
                      <PartMark part={part} />
                      {counts[part].toLocaleString('en')}
                    </Link>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

/** Jobs that are not over. */
function OverviewJobs({ jobs }: { jobs: readonly FleetJob[] | null }) {
  if (jobs === null || jobs.length === 0) return null
  return (
    <Section
      title="Jobs"
      tools={
        <Link to="/jobs" className={section.link}>
          All jobs
        </Link>
      }
    >
      <ul className={classes.lines}>
        {jobs.map((job) => (
          <li key={job.id} className={classes.job}>
            <span className={classes.clientLine}>
              <Link to="/jobs/$job_id" params={{ job_id: `${job.id}` }} className={classes.name}>
                <bdi>{job.name}</bdi>
              </Link>
              <JobStateMark {...job} />
            </span>
            <ProgressBar counts={job.counts} label={progressText(job)} />
            <span className="dim small">
              {job.waves_count > 1 && job.wave > 0 ? `Wave ${job.wave} of ${job.waves_count}. ` : ''}
              {progressText(job)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const SHOWN_MAINTENANCE = 6

/** Maintenance with its end. */
function OverviewInMaintenance({ overview: { maintenance, counts }, client }: Part) {
  const nowMs = useNow(TICK_MS)
  if (counts.maintenance === 0) return null
  const more = maintenance.length - SHOWN_MAINTENANCE
  return (
    <Section
      title="Maintenance"
      tools={
        <Link {...toMachines('is:maintenance', client)} className={section.link}>
          {counts.maintenance.toLocaleString('en')} {machines(counts.maintenance)}
        </Link>
      }
    >
      <ul className={classes.lines}>
        {maintenance.slice(0, SHOWN_MAINTENANCE).map((entry) => (
          <li key={JSON.stringify([entry.targets, entry.until])} className={classes.line}>
            <PartMark part="maintenance" />
            <span className="cut">
              <Targets entry={entry} />
              {entry.reason !== '' && <bdi className="dim">, {entry.reason}</bdi>}
            </span>
            <MaintenanceEnd entry={entry} nowMs={nowMs} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className={`${classes.below} small`}>and {more} more</p>}
    </Section>
  )
}

const NEXT_ICONS = { job: IconCalendarEvent, maintenance: IconTool, patches: IconPackage } as const

/** The next job, maintenance and installation of patches. */
export function OverviewNext({ next, client }: Pick<Overview, 'next'> & Pick<Part, 'client'>) {
  if (next.length === 0) return null
  return (
    <Section title="Next">
      <ul className={classes.lines}>
        {next.map((entry) => {
          const NextIcon = NEXT_ICONS[entry.kind]
          return (
            <li key={entry.kind} className={classes.line}>
              <NextIcon size={16} stroke={1.75} aria-hidden className="dim-icon" />
              <span className="cut">
                <NextText entry={entry} client={client} />
              </span>
              <span className={classes.end}>
                <Time instant={entry.at} relative />
              </span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

function NextText({ entry, client }: { entry: Next; client: number | undefined }) {
  switch (entry.kind) {
    case 'job': {
      const name = <bdi>{entry.name}</bdi>
      return entry.job === null ? (
        <Link to="/jobs" className={classes.name}>
          {name}
        </Link>
      ) : (
        <Link to="/jobs/$job_id" params={{ job_id: `${entry.job}` }} className={classes.name}>
          {name}
        </Link>
      )
    }
    case 'maintenance':
      return (
        <>
          Maintenance of <Targets entry={entry} />
        </>
      )
    case 'patches':
      return (
        <>
          <Link {...toPatches(client)} className={classes.name}>
            Patch installation
          </Link>{' '}
          <span className="dim">
            {entry.machines.toLocaleString('en')} {machines(entry.machines)}
          </span>
        </>
      )
  }
}

function Targets({
  entry: { targets, machines: count },
}: {
  entry: Pick<OverviewMaintenance, 'targets' | 'machines'>
}) {
  const [first] = targets
  if (first === undefined) return null
  const { type, id, name } = first
  const more = targets.length - 1
  const shown = <bdi>{name}</bdi>
  return (
    <>
      {type === 'agent' ? (
        <Link to="/agents/$agent_id" params={{ agent_id: `${id}` }} className={classes.name}>
          {shown}
        </Link>
      ) : (
        <Link
          to="/"
          search={{
            tab: 'mixed',
            search: '',
            node: `${type === 'client' ? 'Client' : 'Site'}|${Number(id)}` as const,
          }}
          className={classes.name}
        >
          {shown}
        </Link>
      )}
      {more > 0 && ` and ${more} more`}
      {count > 1 && <span className="dim"> {count} machines</span>}
    </>
  )
}

function MaintenanceEnd({ entry: { until, since }, nowMs }: { entry: OverviewMaintenance; nowMs: number }) {
  if (until !== null) return <span className={classes.end}>ends {formatRelativeTime(until, nowMs)}</span>
  return (
    <span className={classes.end} title={since === null ? '' : `Since ${since}`}>
      <span className={classes.toned} data-tone="warning">
        no end
      </span>
    </span>
  )
}
