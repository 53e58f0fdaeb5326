import { Kbd, Menu } from '@mantine/core'
import classes from './MenuItems.module.css'
import { type MenuEntry, type MenuItem, isMenuItem } from './menu-entry.ts'

/** The lines of a menu; disabled ones say why. */
export function MenuItems({ entries }: { entries: readonly MenuEntry[] }) {
  return entries.map((entry) =>
    isMenuItem(entry) ? <Line key={entry.id} item={entry} /> : <Menu.Divider key={entry.id} />,
  )
}

function Line({ item }: { item: MenuItem }) {
  const { label, icon: ItemIcon, shortcut, danger = false, note, disabledReason, run } = item
  const more = disabledReason ?? note
  return (
    <Menu.Item
      disabled={disabledReason !== undefined}
      data-danger={danger || undefined}
      classNames={{ item: classes.item ?? '', itemSection: classes.section ?? '' }}
      {...(ItemIcon ? { leftSection: <ItemIcon size={16} stroke={1.75} aria-hidden /> } : {})}
      {...(shortcut === undefined ? {} : { rightSection: <Kbd size="xs">{shortcut}</Kbd> })}
      onClick={run}
    >
      {label}
      {more !== undefined && <span className={classes.note}>{more}</span>}
    </Menu.Item>
  )
}
