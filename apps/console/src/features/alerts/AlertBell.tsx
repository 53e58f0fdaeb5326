import { Popover, UnstyledButton } from '@mantine/core'
import type { Alert } from '@muster/contract/api/alerts'
import type { Severity } from '@muster/contract/fields'
import {
  type Icon,
  IconBell,
  IconBellExclamation,
  IconBellMinus,
  IconBellRingingFilled,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useMay } from '../../app/api/queries.ts'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import classes from './AlertBell.module.css'
import { topAlertsQuery } from './alerts-query.ts'
import { useNoticesMode } from './browser-notices.ts'

const loadMenu = () => import('./BellMenu.tsx').then((file) => file.BellMenu)
const BellMenu = lazyPart(loadMenu)
const SnoozeDialog = lazyPart(() => import('./SnoozeDialog.tsx').then((file) => file.SnoozeDialog))
const BrowserNotices = lazyPart(() => import('./BrowserNotices.tsx').then((file) => file.BrowserNotices))
const PushNotices = lazyPart(() => import('./BrowserNotices.tsx').then((file) => file.PushNotices))

// Each severity has its own shape, for users who cannot distinguish the colours.
const ICONS: Record<Severity | 'none', Icon> = {
  none: IconBell,
  info: IconBellMinus,
  warning: IconBellExclamation,
  error: IconBellRingingFilled,
}

/** Number of open, unsuppressed alerts and the worst severity; opens the ten worst. Live. */
export function AlertBell() {
  const mayList = useMay('can_list_alerts')
  const [opened, setOpened] = useState(false)
  const [snoozing, setSnoozing] = useState<Alert>()
  const top = useQuery({ ...topAlertsQuery, enabled: mayList, meta: { quiet: true } })
  const notices = useNoticesMode()
  if (!mayList) return null
  const { alerts_count: count = 0, worst = null } = top.data ?? {}
  const BellIcon = ICONS[worst ?? 'none']
  const close = () => setOpened(false)
  return (
    <>
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-end"
        width="min(460px, 100vw - 16px)"
        trapFocus
        returnFocus
        withinPortal={false}
        zIndex={150}
      >
        <Popover.Target>
          <UnstyledButton
            className={classes.bell}
            data-worst={worst ?? 'none'}
            aria-label={describeBell(count, worst)}
            onClick={() => setOpened(!opened)}
            onPointerEnter={() => void loadMenu()}
            onFocus={() => void loadMenu()}
          >
            <BellIcon size={18} stroke={1.75} aria-hidden />
            {count > 0 && (
              <span className={classes.badge} aria-hidden>
                {count > 99 ? '99+' : count}
              </span>
            )}
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown className={classes.dropdown}>
          <Suspense fallback={<SkeletonRows rows={3} />}>
            <BellMenu
              onSnooze={(alert) => {
                close()
                setSnoozing(alert)
              }}
              onLeave={close}
            />
          </Suspense>
          <Link to="/alerts" className={classes.all} onClick={close}>
            All alerts{count > 0 && ` (${count})`}
          </Link>
        </Popover.Dropdown>
      </Popover>
      <Suspense fallback={null}>
        {snoozing !== undefined && (
          <SnoozeDialog alerts={[snoozing]} onClose={() => setSnoozing(undefined)} />
        )}
        {notices === 'page' && <BrowserNotices />}
        {notices === 'push' && <PushNotices />}
      </Suspense>
    </>
  )
}

const WORST: Record<Severity, string> = { error: 'an error', warning: 'a warning', info: 'an information' }

function describeBell(count: number, worst: Severity | null): string {
  if (count === 0 || worst === null) return 'Alerts: none open'
  return `Alerts: ${count} open, the worst is ${WORST[worst]}`
}
