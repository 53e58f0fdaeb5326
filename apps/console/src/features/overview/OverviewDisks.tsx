import type { Overview, OverviewDisk } from '@muster/contract/api/overview'
import { forecastTone, HORIZON_DAYS } from '@muster/rules/agents/disk-forecast'
import { freePercent } from '@muster/rules/agents/disk-shares'
import { formatFileSize } from '@muster/rules/text/units'
import { Link } from '@tanstack/react-router'
import { formatDate } from '../../ui/layout/date-format.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import classes from './Overview.module.css'
import { toMetrics } from './overview-links.ts'
import { describeDay } from './overview-sentence.ts'
import { Section } from '../../ui/layout/Section.tsx'

const TICK_MS = 60_000
const DAY = 86_400

/** Disks that fill up, with the day on which they are full. */
export function OverviewDisks({ disks: { total, shown } }: Pick<Overview, 'disks'>) {
  const nowMs = useNow(TICK_MS)
  if (total === 0) return null
  const note = `next ${HORIZON_DAYS} days${total > shown.length ? `, first ${shown.length} of ${total}` : ''}`
  return (
    <Section title="Disks that will be full" note={note}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col">Disk</th>
            <th scope="col" className={classes.wide}>
              Free
            </th>
            <th scope="col">Forecast</th>
            <th scope="col">Full on</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((disk) => (
            <DiskRow key={`${disk.agent_id} ${disk.mount}`} disk={disk} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function DiskRow({ disk, nowMs }: { disk: OverviewDisk; nowMs: number }) {
  const { agent_id, hostname, mount, free, total, full_at } = disk
  const fullMs = Date.parse(full_at)
  const tone = forecastTone(fullMs / 1000, nowMs / 1000) ?? 'dim'
  return (
    <tr>
      <th scope="row">
        <Link {...toMetrics(agent_id)} className={classes.name}>
          <bdi>{hostname}</bdi>
        </Link>
      </th>
      <td className={`mono ${classes.mount}`}>{mount}</td>
      <td className={classes.wide}>
        {formatFileSize(free)}{' '}
        <span className="dim">{total > 0 ? `${Math.round(10 * freePercent(disk)) / 10} %` : ''}</span>
      </td>
      <td>
        <Forecast disk={disk} nowMs={nowMs} tone={tone} />
      </td>
      <td className={classes.full}>
        <time dateTime={full_at} className={classes.toned} data-tone={tone}>
          {formatDate(full_at, 'ddd MMM-DD')}
        </time>{' '}
        <span className="dim">{describeDay(fullMs, nowMs)}</span>
      </td>
    </tr>
  )
}

const WIDTH = 112
const HEIGHT = 22

/** Free space of the last 30 days, and how it goes on. */
function Forecast({ disk, nowMs, tone }: { disk: OverviewDisk; nowMs: number; tone: string }) {
  const now = nowMs / 1000
  const from = now - HORIZON_DAYS * DAY
  const free = disk.points.map(([at, used]) => [at, 100 - used] as const)
  const top = Math.max(1, ...free.map(([, value]) => value))
  const x = (at: number) => (Math.max(0, at - from) / (2 * HORIZON_DAYS * DAY)) * WIDTH
  const y = (value: number) => HEIGHT - 3 - (value / top) * (HEIGHT - 6)
  const last = free.at(-1)
  const end = x(Date.parse(disk.full_at) / 1000)
  return (
    <svg width={WIDTH} height={HEIGHT} aria-hidden className={classes.spark} data-tone={tone}>
      <line x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} className={classes.ground} />
      <polyline
        points={free.map(([at, value]) => `${x(at)},${y(value)}`).join(' ')}
        className={classes.past}
      />
      {last !== undefined && (
        <line x1={x(last[0])} y1={y(last[1])} x2={end} y2={y(0)} className={classes.ahead} />
      )}
      <circle cx={end} cy={y(0)} r={2.5} className={classes.point} />
    </svg>
  )
}
