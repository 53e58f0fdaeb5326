import { formatFileSize } from '@muster/rules/text/file-size'
import { useNow } from '../../../ui/layout/use-now.ts'
import classes from './DesktopWindow.module.css'
import type { DesktopPace } from './desktop-view.ts'

/** For how long it has been open, and how the way to the machine is. */
export function DesktopFacts({ sinceMs, pace }: { sinceMs: number; pace: DesktopPace }) {
  const seconds = Math.max(0, Math.floor((useNow(1000) - sinceMs) / 1000))
  const { milliseconds, bytesPerSecond } = pace
  return (
    <dl className={classes.facts}>
      <Fact name="Session">{formatClock(seconds)}</Fact>
      <Fact name="Latency">
        {milliseconds === undefined ? '...' : `${Math.max(1, Math.round(milliseconds))} ms`}
      </Fact>
      <Fact name="Received">{formatFileSize(Math.round(bytesPerSecond))}/s</Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** `0:07`, `1:02:03`. */
function formatClock(seconds: number): string {
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60]
  const hours = Math.floor(seconds / 3600)
  const [minutes = 0, rest = 0] = parts
  const tail = String(rest).padStart(2, '0')
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`
}
