import { Menu, Menubar } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useHoverTip } from '../../ui/layout/use-hover-tip.tsx'
import { useDialog } from '../dialogs/use-dialog.ts'
import { useLive } from '../live/live.ts'
import classes from './MenuBar.module.css'
import { type MenuItem, openToolWindow, useMenus } from './menus.ts'
import { formatSeconds } from './format-seconds.ts'

/** The second line of the frame: menus as in a desktop program, and the live indicator. */
export function MenuBar() {
  const menus = useMenus()
  const { tip, handlers } = useHoverTip()
  return (
    <div className={classes.bar} {...handlers}>
      <nav aria-label="Menu">
        <Menubar aria-label="Main menu" classNames={{ target: classes.target ?? '' }}>
          {menus.map(({ label, items }) => (
            <Menubar.Menu key={label} withinPortal={false} zIndex={150} width={180}>
              <Menubar.Target>{label}</Menubar.Target>
              <Menubar.Dropdown>
                {items.map((item) => (
                  <BarItem key={item.label} item={item} />
                ))}
              </Menubar.Dropdown>
            </Menubar.Menu>
          ))}
        </Menubar>
      </nav>
      <LiveIndicator />
      {tip}
    </div>
  )
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

const WORDS = { live: 'live', connecting: 'connecting', lost: 'offline' }

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
}
