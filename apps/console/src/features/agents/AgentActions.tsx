import { Button, Menu } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { IconChevronDown } from '@tabler/icons-react'
import { MenuItems } from '../../ui/MenuItems.tsx'
import { type MenuItem, isMenuItem } from '../../ui/menu-entry.ts'
import { useAgentMenu } from './use-agent-menu.ts'
import { useAgentPalette } from './use-agent-palette.ts'

/** What can be done with a machine, as buttons: the two that are wanted most, and the whole menu. */
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
  const items = entries.filter(isMenuItem)
  const send = items.find(({ id }) => id === 'send-command')
  const run = items.find(({ id }) => id === 'run-script')
  return (
    <>
      {send?.disabledReason === undefined && (
        <Button {...iconOf(send)} onClick={send?.run}>
          Send command
        </Button>
      )}
      {run?.disabledReason === undefined && (
        <Button variant="default" {...iconOf(run)} onClick={run?.run} visibleFrom="sm">
          Run script
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

function iconOf(item: MenuItem | undefined) {
  const ItemIcon = item?.icon
  return ItemIcon ? { leftSection: <ItemIcon size={16} stroke={1.75} aria-hidden /> } : {}
}
