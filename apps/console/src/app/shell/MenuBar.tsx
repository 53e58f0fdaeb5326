import { Menu, Menubar, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useHoverTip } from '../../ui/layout/use-hover-tip.tsx'
import { useDialog } from '../dialogs/use-dialog.ts'
import { useLive } from '../live/live.ts'
import classes from './MenuBar.module.css'
import {
  isInside,
  type Menu as MenuOfItems,
  type MenuItem,
  openToolWindow,
  type PageEntry,
  useMenus,
  usePages,
} from './menus.ts'
import { formatSeconds } from './format-seconds.ts'
import { lazyPart } from './lazy-part.ts'

/** In a narrow window these pages stand in the bar; the rest is in one menu. */
const NARROW_PAGES = 4

/** The second line of the frame: pages, menus by task, and the live indicator. */
export function MenuBar() {
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false })
  const pages = usePages()
  const menus = useMenus()
  const { tip, handlers } = useHoverTip()
  return (
    <div className={classes.bar} {...handlers}>
      <nav aria-label="Menu" className={classes.menu}>
        {(isNarrow ? pages.slice(0, NARROW_PAGES) : pages).map((entry) => (
          <PageLink key={entry.page} entry={entry} />
        ))}
        {isNarrow ? <OneMenu pages={pages.slice(NARROW_PAGES)} menus={menus} /> : <Menus menus={menus} />}
      </nav>
      <LiveIndicator />
      {tip}
    </div>
  )
}

// Loaded with the bell, which requests the number.
const AlertCount = lazyPart(() =>
  import('../../features/alerts/AlertCount.tsx').then((file) => file.AlertCount),
)

function PageLink({ entry }: { entry: PageEntry }) {
  const { label, page } = entry
  const path = useLocation({ select: ({ pathname }) => pathname })
  return (
    <Link
      to={page}
      className={classes.entry}
      // Every path begins with that of Machines.
      activeOptions={{ exact: page === '/', includeSearch: false }}
      data-current={isInside(entry, path) || undefined}
    >
      {label}
      {page === '/alerts' && (
        <Suspense fallback={null}>
          <AlertCount />
        </Suspense>
      )}
    </Link>
  )
}

function Menus({ menus }: { menus: readonly MenuOfItems[] }) {
  const path = useLocation({ select: ({ pathname }) => pathname })
  return (
    <Menubar aria-label="Main menu" classNames={{ target: classes.entry ?? '' }}>
      {menus.map(({ label, items }) => (
        <Menubar.Menu key={label} withinPortal={false} zIndex={150} width={200}>
          <Menubar.Target
            data-current={items.some(({ opens }) => 'page' in opens && isInside(opens, path)) || undefined}
          >
            {label}
            <Chevron />
          </Menubar.Target>
          <Menubar.Dropdown>
            {items.map((item) => (
              <BarItem key={item.label} item={item} />
            ))}
          </Menubar.Dropdown>
        </Menubar.Menu>
      ))}
    </Menubar>
  )
}

/** Everything that a narrow bar has no space for. */
function OneMenu({ pages, menus }: { pages: readonly PageEntry[]; menus: readonly MenuOfItems[] }) {
  return (
    <Menu withinPortal={false} zIndex={150} width={240} position="bottom-end">
      <Menu.Target>
        <UnstyledButton className={classes.entry}>
          Menu
          <Chevron />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes.large ?? ''}>
        {pages.map(({ label, page }) => (
          <BarItem key={page} item={{ label, opens: { page } }} />
        ))}
        {menus.map(({ label, items }) => (
          <div key={label} role="group" aria-label={label}>
            <Menu.Label>{label}</Menu.Label>
            {items.map((item) => (
              <BarItem key={item.label} item={item} />
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Chevron() {
  return <IconChevronDown size={14} stroke={1.75} aria-hidden className={classes.chevron} />
}

function BarItem({ item: { label, opens } }: { item: MenuItem }) {
  const { open } = useDialog()
  if ('dialog' in opens) return <Menu.Item onClick={() => open(opens.dialog)}>{label}</Menu.Item>
  if ('window' in opens) return <Menu.Item onClick={() => openToolWindow(opens)}>{label}</Menu.Item>
  if ('page' in opens) {
    return (
      <Menu.Item component={Link} to={opens.page}>
        {label}
      </Menu.Item>
    )
  }
  return (
    <Menu.Item component="a" href={opens.href} target="_blank" rel="noreferrer">
      {label}
    </Menu.Item>
  )
}

const WORDS = { live: 'live', connecting: 'connecting', lost: 'offline', blocked: 'not live' }

/** Whether changes arrive live, and the round-trip time to the server. */
function LiveIndicator() {
  const status = useLive((state) => state.status)
  const roundTripMs = useLive((state) => state.roundTripMs)
  const time = status === 'live' && roundTripMs !== undefined ? ` · ${formatSeconds(roundTripMs)}` : ''
  return (
    <span
      className={classes.live}
      data-status={status}
      data-tip={EXPLANATIONS[status]}
      tabIndex={0}
      role="status"
    >
      {WORDS[status]}
      {time}
    </span>
  )
}

const EXPLANATIONS = {
  live: 'Live: changes appear automatically. The time is the response time of the server.',
  connecting: 'Connecting to the server for live updates.',
  lost: 'Connection lost. The console reconnects automatically.',
  blocked: 'Live updates are off: a proxy does not pass WebSockets. Lists refresh every few seconds.',
}
