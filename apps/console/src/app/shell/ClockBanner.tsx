import { IconClockExclamation } from '@tabler/icons-react'
import { formatAge } from '@muster/rules/text/units'
import { useClockOffset } from '../../ui/layout/server-clock.ts'
import { Banner } from './Banner.tsx'

const SHOWN_FROM_MS = 60_000

/** Times on screen follow the server, and differ from the clock that the user sees beside them. */
export function ClockBanner() {
  const offsetMs = useClockOffset()
  if (Math.abs(offsetMs) < SHOWN_FROM_MS) return null
  return (
    <Banner tone="warning" icon={<IconClockExclamation size={16} stroke={1.75} aria-hidden />}>
      <span>
        The clock of this computer is {formatAge(Math.abs(offsetMs))} {offsetMs < 0 ? 'ahead of' : 'behind'}{' '}
        the server. Times shown follow the server.
      </span>
    </Banner>
  )
}
