import { Button, Menu } from '@mantine/core'
import type { JoinMode } from '@muster/contract/channels'
import { listOpenTerminals, type OpenTerminal } from '@muster/contract/api/remote'
import { IconEye, IconKeyboard, IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { use, useState } from 'react'
import { query } from '../../app/api/api.ts'
import { describeError } from '../../app/api/describe-error.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import type { MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { MenuItems } from '../../ui/dialog/MenuItems.tsx'

interface JoinMenuProps {
  agentId: string
  onJoin: (terminal: OpenTerminal, mode: JoinMode) => void
}

/** Colleagues' terminals on this machine, to look at or to type into as well. */
export function JoinMenu({ agentId, onJoin }: JoinMenuProps) {
  const [opened, setOpened] = useState(false)
  const format = use(DateFormat)
  const { data, error } = useQuery({
    ...query(listOpenTerminals, { params: { agent_id: agentId } }),
    enabled: opened,
    staleTime: 0,
  })
  const entries =
    data === undefined
      ? [nothing('Looking ...', error === null ? '' : describeError(error).message)]
      : data.flatMap((terminal) => {
          const { session, username, started_at } = terminal
          const since = `Open since ${formatDate(started_at, format)}`
          return [
            {
              id: `view ${session}`,
              label: `Look at the terminal of ${username}`,
              note: since,
              icon: IconEye,
              run: () => onJoin(terminal, 'view'),
            },
            {
              id: `type ${session}`,
              label: `Type in the terminal of ${username}`,
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
          entries={entries.length > 0 ? entries : [nothing('Nobody else has a terminal open here', '')]}
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
