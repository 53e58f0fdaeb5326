import { Button, Menu, Tabs } from '@mantine/core'
import { IconEye, IconKeyboard, IconPlus, IconUsers, IconX } from '@tabler/icons-react'
import { use, useEffect, useRef, useState } from 'react'
import { ShellRequest } from '@muster/contract/agent/shells'
import { type JoinMode, TerminalJoin } from '@muster/contract/channels'
import { z } from 'zod'
import { listOpenTerminals, type OpenTerminal } from '@muster/contract/api/remote'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../app/api/queries.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { query } from '../../app/api/api.ts'
import { describeError } from '../../app/api/describe-error.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import type { MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { MenuItems } from '../../ui/dialog/ContextMenu.tsx'
import classes from './TerminalPane.module.css'
import { TerminalTab } from './TerminalTab.tsx'
import type { TerminalView } from './terminal-view.ts'

interface JoinMenuProps {
  agentId: string
  onJoin: (terminal: OpenTerminal, mode: JoinMode) => void
}

/** Colleagues' terminals on this machine, to watch or to type into. */
function JoinMenu({ agentId, onJoin }: JoinMenuProps) {
  const [opened, setOpened] = useState(false)
  const format = use(DateFormat)
  const { data, error } = useQuery({
    ...query(listOpenTerminals, { params: { agent_id: agentId } }),
    enabled: opened,
    staleTime: 0,
  })
  const entries =
    data === undefined
      ? [nothing('Loading …', error === null ? '' : describeError(error).message)]
      : data.flatMap((terminal) => {
          const { session, username, started_at } = terminal
          const since = `Open since ${formatDate(started_at, format)}`
          return [
            {
              id: `view ${session}`,
              label: `Watch the terminal of ${username}`,
              note: since,
              icon: IconEye,
              run: () => onJoin(terminal, 'view'),
            },
            {
              id: `type ${session}`,
              label: `Type into the terminal of ${username}`,
              note: since,
              icon: IconKeyboard,
              run: () => onJoin(terminal, 'type'),
            },
          ]
        })
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      withinPortal={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconUsers size={14} stroke={1.75} aria-hidden />}
        >
          Join
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Terminals of colleagues">
        <MenuItems
          entries={entries.length > 0 ? entries : [nothing('No other terminals on this machine', '')]}
        />
      </Menu.Dropdown>
    </Menu>
  )
}

const nothing = (label: string, disabledReason: string): MenuEntry => ({
  id: 'nothing',
  label,
  disabledReason,
  run: () => {},
})

/** The terminals of a machine, each its own session; hidden ones keep running. */
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
              initialRequest={tab.request}
              join={tab.joined?.join}
              isShown={tab.id === shown}
              onRequest={(request) => setKept((now) => putTab(now, { ...tab, request: request }))}
              onTitle={(title) => setTitles((now) => ({ ...now, [tab.id]: title }))}
              onView={(view) => void views.current.set(tab.id, view)}
            />
          </Tabs.Panel>
        ))}
        {tabs.length === 0 && (
          <EmptyState message="No open terminals.">
            <Button onClick={() => setKept((now) => addTab(now))}>New terminal</Button>
          </EmptyState>
        )}
      </div>
    </Tabs>
  )
}

/** For the pointer; the keyboard uses Delete on the tab, or End terminal. */
function CloseMark({ onClose }: { onClose: () => void }) {
  return (
    <span
      aria-hidden
      className={classes.close}
      title="Close tab and end terminal"
      onClick={(event) => {
        event.stopPropagation()
        onClose()
      }}
    >
      <IconX size={14} stroke={1.75} />
    </span>
  )
}

const KeptTab = z.object({
  /** A number, unique in this window; the terminal's name while its shell has set no title. */
  id: z.string().max(10),
  request: ShellRequest,
  /** A colleague's terminal and its owner. */
  joined: z.object({ join: TerminalJoin, username: z.string().max(200) }).optional(),
})
const KeptTabs = z.object({ tabs: z.array(KeptTab).max(50), shown: z.string().max(10) })
type KeptTab = z.infer<typeof KeptTab>
type KeptTabs = z.infer<typeof KeptTabs>

const keyOf = (agentId: string) => `muster terminals ${agentId}`

/** The terminals that this window had on a machine, or a new one. */
function readTabs(agentId: string): KeptTabs {
  const stored = sessionStorage.getItem(keyOf(agentId))
  const kept = stored === null ? undefined : KeptTabs.safeParse(JSON.parse(stored)).data
  return kept ?? addTab({ tabs: [], shown: '' })
}

function storeTabs(agentId: string, tabs: KeptTabs): void {
  sessionStorage.setItem(keyOf(agentId), JSON.stringify(tabs))
}

function addTab({ tabs }: KeptTabs, more: Pick<KeptTab, 'joined'> = {}): KeptTabs {
  const id = String(Math.max(0, ...tabs.map((tab) => Number(tab.id))) + 1)
  return { tabs: [...tabs, { id, request: {}, ...more }], shown: id }
}

/** The tabs without this one; selects a neighbour if it was selected. */
function dropTab({ tabs, shown }: KeptTabs, id: string): KeptTabs {
  const at = tabs.findIndex((tab) => tab.id === id)
  const left = tabs.filter((tab) => tab.id !== id)
  const next = left[Math.min(at, left.length - 1)]
  return { tabs: left, shown: shown === id ? (next?.id ?? '') : shown }
}

/** The tabs with this one updated. */
function putTab({ tabs, shown }: KeptTabs, changed: KeptTab): KeptTabs {
  return { tabs: tabs.map((tab) => (tab.id === changed.id ? changed : tab)), shown }
}
