import { Tabs } from '@mantine/core'
import type { TableTab } from '@muster/contract/api/users'
import { IconDeviceDesktop, IconServer2 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './MachineTabs.module.css'

export type TabCounts = Partial<Record<TableTab, number>>

const TABS = [
  { value: 'server', label: 'Servers', icon: IconServer2 },
  { value: 'workstation', label: 'Workstations', icon: IconDeviceDesktop },
  { value: 'mixed', label: 'Mixed', icon: undefined },
] as const

interface MachineTabsProps {
  tab: TableTab
  counts: TabCounts
  /** Id of the panel that the tabs rule. */
  panelId: string
  onChange: (tab: TableTab) => void
  children: ReactNode
}

/** Servers, workstations or both, with their numbers; what else acts on the table stands at the right. */
export function MachineTabs({ tab, counts, panelId, onChange, children }: MachineTabsProps) {
  return (
    <div className={classes.bar}>
      <Tabs
        value={tab}
        onChange={(value) => {
          const chosen = TABS.find((known) => known.value === value)
          if (chosen) onChange(chosen.value)
        }}
        classNames={{ list: classes.list ?? '', tab: classes.tab ?? '' }}
      >
        <Tabs.List aria-label="Type of machines">
          {TABS.map(({ value, label, icon: TabIcon }) => (
            <Tabs.Tab
              key={value}
              value={value}
              aria-controls={panelId}
              {...(TabIcon ? { leftSection: <TabIcon size={16} stroke={1.75} aria-hidden /> } : {})}
            >
              {label}
              {counts[value] !== undefined && <span className={classes.count}> {counts[value]}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <div className={classes.tools}>{children}</div>
    </div>
  )
}

/**
 * The numbers on the tabs. The list of one tab says its own; the tree knows how many there are in all, so the other
 * kind is the rest, and nothing more has to be asked for.
 */
export function countTabs(
  tab: TableTab,
  rows: readonly { monitoring_type: 'server' | 'workstation' }[] | undefined,
  total: number | undefined,
): TabCounts {
  if (rows === undefined) return total === undefined ? {} : { mixed: total }
  if (tab === 'mixed') {
    const server = rows.filter((row) => row.monitoring_type === 'server').length
    return { server, workstation: rows.length - server, mixed: rows.length }
  }
  const other = tab === 'server' ? 'workstation' : 'server'
  if (total === undefined) return { [tab]: rows.length }
  const all = Math.max(total, rows.length)
  return { [tab]: rows.length, [other]: all - rows.length, mixed: all }
}
