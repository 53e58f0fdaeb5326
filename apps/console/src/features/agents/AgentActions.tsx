import { Button, Menu } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { IconChevronDown, IconFileCode, IconScreenShare, IconTerminal2 } from '@tabler/icons-react'
import { MenuItems } from '../../ui/dialog/ContextMenu.tsx'
import { isMenuItem, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { usePaletteSource } from '../../app/shell/palette.ts'
import { useAgentMenu } from './use-agent-menu.ts'

/** The actions of a machine as buttons: the two most used, and the full menu. */
export function AgentActions({
  agent,
  onAgentPage = false,
}: {
  agent: AgentDetail | undefined
  onAgentPage?: boolean
}) {
  const entries = useAgentMenu(agent, { onAgentPage })
  useAgentPalette(agent, entries)
  if (agent === undefined) return null
  const [first, second] = BUTTONS.flatMap(({ id, icon, word }) => {
    const item = entries.filter(isMenuItem).find((entry) => entry.id === id)
    return item === undefined || item.disabledReason !== undefined ? [] : [{ icon, word, run: item.run }]
  })
  return (
    <>
      {first && (
        <Button leftSection={<first.icon {...ICON} />} onClick={first.run}>
          {first.word}
        </Button>
      )}
      {second && (
        <Button
          variant="default"
          leftSection={<second.icon {...ICON} />}
          onClick={second.run}
          visibleFrom="sm"
        >
          {second.word}
        </Button>
      )}
      <Menu position="bottom-end" withinPortal={false} floatingStrategy="fixed">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItems entries={entries} />
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** Menu entries that are buttons too: the first two that the role allows. */
const BUTTONS = [
  { id: 'take-control', icon: IconScreenShare, word: 'Take control' },
  { id: 'remote-background', icon: IconTerminal2, word: 'Terminal' },
  { id: 'send-command', icon: IconTerminal2, word: 'Send command' },
  { id: 'run-script', icon: IconFileCode, word: 'Run script' },
]

const ICON = { size: 16, stroke: 1.75, 'aria-hidden': true } as const

/** The actions of the selected machine, for the command palette. */
function useAgentPalette(agent: { hostname: string } | undefined, entries: readonly MenuEntry[]): void {
  usePaletteSource('selected machine', () =>
    agent === undefined
      ? []
      : entries
          .filter(isMenuItem)
          .filter(({ disabledReason }) => disabledReason === undefined)
          .map(({ id, label, run }) => ({
            id: `agent ${id}`,
            group: agent.hostname,
            label,
            words: agent.hostname,
            run,
          })),
  )
}
