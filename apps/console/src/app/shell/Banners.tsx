import { Button } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCloudOff,
  IconDatabaseX,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { getVersion } from '@muster/contract/calls/system'
import { VERSION_CHECK_MS } from '@muster/rules/text/layout'
import { describeError } from '../api/describe-error.ts'
import { ProxyGuideLink } from '../live/Blocked.tsx'
import { useLive } from '../live/live.ts'
import { dashInfoQuery, useDashInfo } from '../api/queries.ts'
import { call } from '../api/api.ts'
import { queryKey } from '../api/query-key.ts'
import { formatAge } from './format-seconds.ts'
import { lazyPart } from './lazy-part.ts'
import { Banner } from './Banner.tsx'
import { ClockBanner } from './ClockBanner.tsx'

/** Local-storage key of the first version that this browser saw. */
export const VERSION_KEY = 'rmmver'

/**
 * Whether the server has another version of the console than the running one. Polled every four minutes; after a reconnect
 * all queries are refetched, so this one too.
 */
function useRefreshNeeded(): boolean {
  const { data } = useQuery({
    queryKey: [...queryKey(getVersion), 'refresh needed'],
    queryFn: async ({ signal }) => isOtherVersion(await call(getVersion, {}, { signal })),
    refetchInterval: VERSION_CHECK_MS,
  })
  return data === true
}

/** Stores the first version seen; returns true for any other. */
export function isOtherVersion(version: string): boolean {
  const seen = localStorage.getItem(VERSION_KEY)
  if (seen === null) localStorage.setItem(VERSION_KEY, version)
  return seen !== null && seen !== version
}

/** Loads the server's current console. */
function reloadConsole(): void {
  localStorage.removeItem(VERSION_KEY)
  location.reload()
}

/** Messages about the whole page: a new version, a lost server. */
export function Banners() {
  return (
    <>
      <VersionBanner />
      <SettingsBanner />
      <AvailabilityBanner />
      <MaintenanceBanner />
      <ReadOnlyBanner />
      <BackupBanner />
      <ClockBanner />
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

/** Without preferences and flags the frame is incomplete and says so. */
function SettingsBanner() {
  const { data, error, refetch } = useQuery(dashInfoQuery)
  if (data !== undefined || error === null) return null
  const { message, caption } = describeError(error)
  return (
    <Banner tone="warning" icon={<IconAlertTriangle size={16} stroke={1.75} aria-hidden />}>
      <span>Your settings could not be loaded. {[message, caption].filter(Boolean).join(' ')}</span>
      <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
        Try again
      </Button>
    </Banner>
  )
}

const AvailabilityQuestion = lazyPart(() =>
  import('../../features/alerts/AvailabilityQuestion.tsx').then((file) => file.AvailabilityQuestion),
)

function AvailabilityBanner() {
  if (useDashInfo()?.ask_availability_alerts !== true) return null
  return (
    <Banner tone="warning" icon={<IconAlertTriangle size={16} stroke={1.75} aria-hidden />}>
      <Suspense>
        <AvailabilityQuestion />
      </Suspense>
    </Banner>
  )
}

const OpenMaintenanceNote = lazyPart(() =>
  import('../../features/maintenance/OpenMaintenanceNote.tsx').then((file) => file.OpenMaintenanceNote),
)

/** Alerts are suppressed somewhere without an end time: a reminder. */
function MaintenanceBanner() {
  if (useDashInfo()?.open_maintenance !== true) return null
  return (
    <Suspense>
      <OpenMaintenanceNote />
    </Suspense>
  )
}

/** Every change is refused meanwhile. */
function ReadOnlyBanner() {
  if (useDashInfo()?.read_only !== true) return null
  return (
    <Banner tone="warning" icon={<IconDatabaseX size={16} stroke={1.75} aria-hidden />}>
      <span>
        The disk of the server is nearly full, so it is read-only. Machines keep their results until there is
        room. You can still view everything, stop jobs and delete.
      </span>
    </Banner>
  )
}

const BackupNote = lazyPart(() =>
  import('../../features/backups/BackupNote.tsx').then((file) => file.BackupNote),
)

function BackupBanner() {
  if (useDashInfo()?.backup_failed !== true) return null
  return (
    <Suspense>
      <BackupNote />
    </Suspense>
  )
}

/** A connection restored within this time needs no banner. */
const GRACE_MS = 1_500

function OfflineBanner() {
  const status = useLive((state) => state.status)
  if (status === 'live') return null
  return status === 'blocked' ? <BlockedLink /> : <LostLink />
}

function BlockedLink() {
  return (
    <Banner tone="warning" icon={<IconPlugConnectedX size={16} stroke={1.75} aria-hidden />}>
      <span>
        Live updates are off: a proxy between this browser and the server does not pass WebSockets. Lists
        refresh every few seconds. Terminals, desktops and live logs cannot start.
      </span>
      <ProxyGuideLink size="compact-xs" />
    </Banner>
  )
}

function LostLink() {
  const receivedAtMs = useLive((state) => state.receivedAtMs)
  const [shownAtMs] = useState(() => Date.now())
  const nowMs = useSeconds()
  if (nowMs - shownAtMs < GRACE_MS) return null
  return (
    <Banner tone="warning" icon={<IconCloudOff size={16} stroke={1.75} aria-hidden />}>
      <span>
        The server cannot be reached.{' '}
        {receivedAtMs !== undefined && `What you see is ${formatAge(nowMs - receivedAtMs)} old. `}
        The console reconnects automatically.
      </span>
    </Banner>
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
