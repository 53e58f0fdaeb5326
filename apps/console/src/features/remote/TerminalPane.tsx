import { Button, Tabs } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { JoinMenu } from './JoinMenu.tsx'
import classes from './TerminalPane.module.css'
import { TerminalTab } from './TerminalTab.tsx'
import type { TerminalView } from './terminal-view.ts'
import { addTab, dropTab, type KeptTab, putTab, readTabs, storeTabs } from './terminal-tabs.ts'

/** The terminals of a machine, each a session of its own; those that are not shown go on. */
export function TerminalPane({ agentId, hostname }: { agentId: string; hostname: string }) {
  const [kept, setKept] = useState(() => readTabs(agentId))
  const [titles, setTitles] = useState<Record<string, string | undefined>>({})
  const views = useRef(new Map<string, TerminalView>())
  useEffect(() => storeTabs(agentId, kept), [agentId, kept])
  const { tabs, shown } = kept
  const close = (id: string) => {
    views.current.get(id)?.end()
    views.current.delete(id)
    setTitles((now) => ({ ...now, [id]: undefined }))
    setKept((now) => dropTab(now, id))
  }
  const nameOf = ({ id, joined }: KeptTab) =>
    joined === undefined ? (titles[id] ?? `Shell ${id}`) : `${joined.username}: ${titles[id] ?? 'terminal'}`
  const mayJoin = useMay('can_join_terminals')
  return (
    <Tabs
      value={shown}
      onChange={(next) => next !== null && setKept((now) => ({ ...now, shown: next }))}
      keepMountedMode="display-none"
      className={classes.pane}
    >
      <div className={classes.strip}>
        <Tabs.List aria-label="Open terminals" className={classes.list}>
          {tabs.map((tab) => (
            <Tabs.Tab
              key={tab.id}
              value={tab.id}
              className={classes.tab}
              title={nameOf(tab)}
              aria-keyshortcuts="Delete"
              onKeyDown={({ key }) => key === 'Delete' && close(tab.id)}
              rightSection={<CloseMark onClose={() => close(tab.id)} />}
            >
              <span className={classes.name}>{nameOf(tab)}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Button
          size="compact-sm"
          variant="subtle"
          className={classes.add ?? ''}
          leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
          onClick={() => setKept((now) => addTab(now))}
        >
          New tab
        </Button>
        {mayJoin && (
          <JoinMenu
            agentId={agentId}
            onJoin={({ session, username }, mode) =>
              setKept((now) => addTab(now, { joined: { join: { session, mode }, username } }))
            }
          />
        )}
      </div>
      <div className={classes.stack}>
        {tabs.map((tab) => (
          <Tabs.Panel
            key={tab.id}
            value={tab.id}
            className={classes.page}
            data-hidden={tab.id !== shown || undefined}
          >
            <TerminalTab
              agentId={agentId}
              hostname={hostname}
              place={tab.id}
              firstWish={tab.wish}
              join={tab.joined?.join}
              isShown={tab.id === shown}
              onWish={(wish) => setKept((now) => putTab(now, { ...tab, wish }))}
              onTitle={(title) => setTitles((now) => ({ ...now, [tab.id]: title }))}
              onView={(view) => void views.current.set(tab.id, view)}
            />
          </Tabs.Panel>
        ))}
        {tabs.length === 0 && (
          <EmptyState message="No terminal is open.">
            <Button onClick={() => setKept((now) => addTab(now))}>New terminal</Button>
          </EmptyState>
        )}
      </div>
    </Tabs>
  )
}

/** For the pointer; with keys it is Delete on the tab, or End terminal. */
function CloseMark({ onClose }: { onClose: () => void }) {
  return (
    <span
      aria-hidden
      className={classes.close}
      title="Close, which ends the terminal"
      onClick={(event) => {
        event.stopPropagation()
        onClose()
      }}
    >
      <IconX size={14} stroke={1.75} />
    </span>
  )
}
