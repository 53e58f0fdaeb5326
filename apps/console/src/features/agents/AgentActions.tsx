import { Button, Menu } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { useEffect } from 'react'
import { IconChevronDown, IconFileCode, IconScreenShare, IconTerminal2 } from '@tabler/icons-react'
import { SteadyMenuItems } from '../../ui/dialog/ContextMenu.tsx'
import { listMenuItems, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { usePaletteMachine, usePaletteSource } from '../../app/shell/palette.ts'
import { rememberMachine } from './recent-machines.ts'
import { useAgentMenu } from './use-agent-menu.ts'

interface AgentActionsProps {
  agent: AgentDetail | undefined
  onAgentPage?: boolean
  /** `bar`: at the bottom of a phone, as large as a finger. */
  place?: 'head' | 'bar'
}

/** The actions of a machine as buttons: the two most used, three on its own page, and the full menu. */
export function AgentActions({ agent, onAgentPage = false, place = 'head' }: AgentActionsProps) {
  const entries = useAgentMenu(agent, { onAgentPage })
  useAgentPalette(agent, entries)
  if (agent === undefined) return null
  const isBar = place === 'bar'
  const [first, ...others] = (isBar ? BAR_BUTTONS : BUTTONS).flatMap(({ id, icon, word }) => {
    const item = listMenuItems(entries).find((entry) => entry.id === id)
    return item === undefined || item.disabledReason !== undefined ? [] : [{ id, icon, word, run: item.run }]
  })
  const shown = others.slice(0, onAgentPage ? 2 : 1)
  return (
    <>
      {first && (
        <Button leftSection={<first.icon {...ICON} />} onClick={first.run}>
          {first.word}
        </Button>
      )}
      {shown.map(({ id, icon: Icon, word, run }) => (
        <Button
          key={id}
          variant="default"
          leftSection={<Icon {...ICON} />}
          onClick={run}
          {...(isBar ? {} : { visibleFrom: 'sm' })}
        >
          {word}
        </Button>
      ))}
      <Menu position={isBar ? 'top-end' : 'bottom-end'} withinPortal={false} floatingStrategy="fixed">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}>
            {isBar ? 'More' : 'Actions'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <SteadyMenuItems entries={entries} />
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** Menu entries that are buttons too: the first ones that the role allows. */
const BUTTONS = [
  { id: 'take-control', icon: IconScreenShare, word: 'Take control' },
  { id: 'remote-background', icon: IconTerminal2, word: 'Terminal' },
  { id: 'run-script', icon: IconFileCode, word: 'Run script' },
  { id: 'send-command', icon: IconTerminal2, word: 'Send command' },
]

/** A desktop is of little use on a phone. */
const BAR_BUTTONS = BUTTONS.filter(({ id }) => id === 'remote-background' || id === 'run-script')

const ICON = { size: 16, stroke: 1.75, 'aria-hidden': true } as const

/** The actions of the selected machine, for the command palette. */
function useAgentPalette(agent: AgentDetail | undefined, entries: readonly MenuEntry[]): void {
  usePaletteMachine(agent)
  useEffect(() => {
    if (agent !== undefined) rememberMachine(agent)
  }, [agent])
  const items = listMenuItems(entries).filter(({ disabledReason }) => disabledReason === undefined)
  usePaletteSource(
    'selected machine',
    `${agent?.agent_id} ${items.map(({ label }) => label).join()}`,
    () =>
      agent === undefined
        ? []
        : items.map(({ id, label, icon, words = '', run }) => ({
            id: `agent ${id}`,
            group: agent.hostname,
            label,
            icon,
            words: `${agent.hostname} ${words}`,
            run,
          })),
    { isFirst: true },
  )
}
