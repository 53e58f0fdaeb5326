import { ActionIcon } from '@mantine/core'
import { IconMoon, IconRefresh, IconSun } from '@tabler/icons-react'
import { Link, useMatchRoute } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useHoverTip } from '../../ui/layout/use-hover-tip.tsx'
import { CertificateChip } from './CertificateChip.tsx'
import classes from './Header.module.css'
import { MachineCounts } from './MachineCounts.tsx'
import { PaletteButton } from './PaletteButton.tsx'
import { UserMenu } from './UserMenu.tsx'
import { lazyPart } from './lazy-part.ts'
import { useDarkMode } from './look.ts'
import { useDashInfo } from '../api/queries.ts'
import { useRefresh } from './use-refresh.ts'

// Not of the first load: the machines come first.
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
        <Suspense fallback={<span className={classes.bellPlace} />}>
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
