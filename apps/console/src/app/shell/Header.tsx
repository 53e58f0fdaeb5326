import { ActionIcon, Badge, Kbd, UnstyledButton } from '@mantine/core'
import { IconMoon, IconRefresh, IconSearch, IconSun } from '@tabler/icons-react'
import { Link, useMatchRoute } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useHoverTip } from '../../ui/layout/use-hover-tip.tsx'
import { useDashInfo } from '../api/queries.ts'
import { useLive } from '../live/live.ts'
import classes from './Header.module.css'
import { MachineCounts } from './MachineCounts.tsx'
import { UserMenu } from './UserMenu.tsx'
import { lazyPart } from './lazy-part.ts'
import { useDarkMode } from './look.ts'
import { useRefresh } from './use-refresh.ts'
import { certificateWarning } from './certificate-warning.ts'
import { openPalette } from './palette.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Looks like a field in the middle of the header and opens the command palette. */
function PaletteButton() {
  return (
    <UnstyledButton
      className={classes.button}
      onClick={openPalette}
      aria-haspopup="dialog"
      aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
    >
      <IconSearch size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <span className={classes.text}>Find a machine, client, script or action</span>
      <Kbd size="xs" className={classes.key} aria-hidden>
        {isMac ? '⌘ K' : 'Ctrl K'}
      </Kbd>
    </UnstyledButton>
  )
}

// Not part of the first load: the machines come first.
const AlertBell = lazyPart(() => import('../../features/alerts/AlertBell.tsx').then((file) => file.AlertBell))

/** The first line of the frame. */
export function Header() {
  const { tip, handlers } = useHoverTip()
  return (
    <header className={classes.header} {...handlers}>
      <div className={classes.start}>
        <Link to="/" className={classes.brand} aria-label="Muster, dashboard">
          <img src="/favicon.svg" width={26} height={26} alt="" />
          <span className={classes.name}>Muster</span>
        </Link>
        <Version />
        <RefreshButton />
      </div>
      <PaletteButton />
      <div className={classes.end}>
        <CertificateChip />
        <MachineCounts />
        <Suspense fallback={<span className={classes.bellPlaceholder} />}>
          <AlertBell />
        </Suspense>
        <DarkModeButton />
        <UserMenu />
      </div>
      {tip}
    </header>
  )
}

function Version() {
  const info = useDashInfo()
  if (info === undefined) return null
  return <span className={classes.version}>{info.trmm_version}</span>
}

function RefreshButton() {
  const onDashboard = useMatchRoute()({ to: '/' }) !== false
  const { refresh } = useRefresh()
  if (!onDashboard) return null
  return (
    <ActionIcon aria-label="Refresh" data-tip="Refresh" onClick={() => void refresh()}>
      <IconRefresh size={18} stroke={1.75} />
    </ActionIcon>
  )
}

function DarkModeButton() {
  const { dark, toggle } = useDarkMode()
  const label = dark ? 'Light mode' : 'Dark mode'
  const Icon = dark ? IconSun : IconMoon
  return (
    <ActionIcon aria-label={label} data-tip={label} onClick={toggle}>
      <Icon size={18} stroke={1.75} />
    </ActionIcon>
  )
}

function CertificateChip() {
  const warning = certificateWarning(useLive((state) => state.counts?.days_until_cert_expires))
  if (warning === undefined) return null
  return (
    <Badge
      color="negative"
      variant="light"
      tt="none"
      tabIndex={0}
      role="status"
      style={{ flex: 'none' }}
      data-tip="Renew the server's certificate. Browsers and agents refuse an expired one."
    >
      {warning}
    </Badge>
  )
}
