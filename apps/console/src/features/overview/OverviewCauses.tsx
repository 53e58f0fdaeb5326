import { useMediaQuery } from '@mantine/hooks'
import type { AlertCause } from '@muster/contract/api/alerts'
import type { OverviewCauses as Causes } from '@muster/contract/api/overview'
import { formatShortAge } from '@muster/rules/text/units'
import { Link } from '@tanstack/react-router'
import { useNow } from '../../ui/layout/use-now.ts'
import { SEVERITY_TONES } from '../alerts/SeverityMark.tsx'
import { CauseMark, CauseNotice, describeClients } from '../alerts/CauseMarks.tsx'
import classes from './Overview.module.css'
import { toAlerts } from './overview-links.ts'
import section from '../../ui/layout/Section.module.css'
import { Section } from '../../ui/layout/Section.tsx'

const TICK_MS = 10_000
/** Causes on a phone, where disks and patches follow. */
const SHOWN_NARROW = 4

/** Alerts by cause, one line each. */
export function OverviewCauses({ causes, client }: { causes: Causes; client: number | undefined }) {
  const nowMs = useNow(TICK_MS)
  const isNarrow = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const { total, unacknowledged } = causes
  const shown = isNarrow ? causes.shown.slice(0, SHOWN_NARROW) : causes.shown
  if (total === 0) return null
  const more = total - shown.length
  return (
    <Section
      title="Causes"
      note={`${total} open, ${unacknowledged} not acknowledged`}
      tools={
        <Link {...toAlerts(undefined, client)} className={section.link}>
          All alerts
        </Link>
      }
    >
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Cause</th>
            <th scope="col" className={classes.wide}>
              Where
            </th>
            <th scope="col" className={classes.number}>
              Machines
            </th>
            <th scope="col">Since</th>
            <th scope="col">Alert</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((cause) => (
            <CauseRow key={cause.key} cause={cause} client={client} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <Link {...toAlerts(undefined, client)} className={section.link}>
          Show {more} more {more === 1 ? 'cause' : 'causes'}
        </Link>
      )}
    </Section>
  )
}

interface CauseRowProps {
  cause: AlertCause
  client: number | undefined
  nowMs: number
}

function CauseRow({ cause, client, nowMs }: CauseRowProps) {
  const { name, severity, machines, servers, since } = cause
  const to = toAlerts(cause, client)
  return (
    <tr>
      <th scope="row" className={classes.cause}>
        <span className={classes.causeName}>
          <CauseMark cause={cause} />
          <Link {...to} className={classes.name} title={name}>
            <bdi>{name}</bdi>
          </Link>
          {servers > 0 && (
            <span className={classes.servers} data-tone={SEVERITY_TONES[severity]}>
              {servers === 1 ? '1 server' : `${servers} servers`}
            </span>
          )}
        </span>
      </th>
      <td className={`${classes.wide} dim`}>
        <bdi>{describeClients(cause)}</bdi>
      </td>
      <td className={classes.number}>
        {machines === 0 ? (
          <span className="dim">–</span>
        ) : (
          <Link
            {...to}
            className={classes.count}
            aria-label={`${machines} ${machines === 1 ? 'machine' : 'machines'} with ${name}`}
          >
            {machines.toLocaleString('en')}
          </Link>
        )}
      </td>
      <td className={classes.since}>
        <time dateTime={since}>{formatShortAge(nowMs - Date.parse(since))}</time>
      </td>
      <td className={classes.notice}>
        <CauseNotice cause={cause} nowMs={nowMs} />
      </td>
    </tr>
  )
}
