import { Button } from '@mantine/core'
import { IconCloudOff, IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { reloadConsole, useRefreshNeeded } from '../features/core/version-check.ts'
import classes from './Banners.module.css'
import { formatAge } from './format-seconds.ts'
import { useLive } from './live.ts'

/** What the whole page should know: another version, a lost server. */
export function Banners() {
  return (
    <>
      <VersionBanner />
      <OfflineBanner />
    </>
  )
}

function VersionBanner() {
  if (!useRefreshNeeded()) return null
  return (
    <Banner tone="info" icon={<IconRefresh size={16} stroke={1.75} aria-hidden />}>
      <span>The server has another version of the console.</span>
      <Button size="compact-xs" onClick={reloadConsole}>
        Reload
      </Button>
    </Banner>
  )
}

/** A link that is back this soon needs no banner. */
const GRACE_MS = 1_500

function OfflineBanner() {
  const lost = useLive((state) => state.status !== 'live')
  if (!lost) return null
  return <LostLink />
}

function LostLink() {
  const heardAtMs = useLive((state) => state.heardAtMs)
  const [shownAtMs] = useState(() => Date.now())
  const nowMs = useSeconds()
  if (nowMs - shownAtMs < GRACE_MS) return null
  return (
    <Banner tone="warning" icon={<IconCloudOff size={16} stroke={1.75} aria-hidden />}>
      <span>
        The server cannot be reached.{' '}
        {heardAtMs !== undefined && `What you see is ${formatAge(nowMs - heardAtMs)} old. `}
        The console tries again by itself.
      </span>
    </Banner>
  )
}

function Banner({
  tone,
  icon,
  children,
}: {
  tone: 'info' | 'warning'
  icon: ReactNode
  children: ReactNode
}) {
  return (
    <div role="status" className={classes.banner} data-tone={tone}>
      {icon}
      {children}
    </div>
  )
}

function useSeconds(): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return nowMs
}
