import { Button, Menu } from '@mantine/core'
import type { ShellRequest, TerminalDefaults } from '@muster/contract/agent/shells'
import { getTerminalDefaults } from '@muster/contract/api/remote'
import { IconChevronDown, IconCircle, IconCircleDot, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { describeError } from '../../app/api/describe-error.ts'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'
import { MenuItems } from '../../ui/dialog/ContextMenu.tsx'
import { ShellPathDialog } from './ShellPathDialog.tsx'

interface ShellMenuProps {
  agentId: string
  request: ShellRequest
  /** Label of the button. */
  label: string
  /** Restarts with another shell, or as another user. */
  onRequest: (request: ShellRequest) => void
}

/** The shell of a terminal and its user; the machine is asked each time the menu opens. */
export function ShellMenu({ agentId, request, label, onRequest }: ShellMenuProps) {
  const [opened, setOpened] = useState(false)
  const [asksPath, setAsksPath] = useState(false)
  const { data, error } = useQuery({
    ...query(getTerminalDefaults, { params: { agent_id: agentId } }),
    enabled: opened,
    staleTime: 0,
  })
  const entries =
    data === undefined
      ? [waiting(error === null ? undefined : describeError(error).message)]
      : listEntries(data, request, { onRequest, askPath: () => setAsksPath(true) })
  return (
    <>
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
            variant="default"
            aria-label={`Shell: ${label}`}
            rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
          >
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Shell">
          <MenuItems entries={entries} />
        </Menu.Dropdown>
      </Menu>
      {asksPath && (
        <ShellPathDialog
          path={request.shell ?? ''}
          problem={undefined}
          onPath={(shell) => {
            setAsksPath(false)
            onRequest({ ...request, shell })
          }}
          onClose={() => setAsksPath(false)}
        />
      )}
    </>
  )
}

function listEntries(
  { shells, agent_user, signed_in_user, why_no_user }: TerminalDefaults,
  request: ShellRequest,
  { onRequest, askPath }: { onRequest: (request: ShellRequest) => void; askPath: () => void },
): MenuEntry[] {
  const [first] = shells
  const chosen = request.shell ?? first?.path
  const isListed = shells.some(({ path }) => path === chosen)
  const asUser = request.as_user === true
  return [
    ...shells.map(({ name, path }, at) => ({
      id: path,
      label: at === 0 ? `${name} (default)` : name,
      note: noteOf(path, path === chosen),
      icon: mark(path === chosen),
      run: () => onRequest({ ...(at === 0 ? {} : { shell: path }), ...(asUser ? { as_user: true } : {}) }),
    })),
    {
      id: 'custom',
      label: 'Custom shell ...',
      icon: IconPencil,
      note: isListed ? undefined : noteOf(chosen ?? '', true),
      run: askPath,
    },
    divider('user'),
    {
      id: 'agent-user',
      label: `As ${agent_user}`,
      note: noteOf('User of the agent', !asUser),
      icon: mark(!asUser),
      run: () => onRequest(request.shell === undefined ? {} : { shell: request.shell }),
    },
    {
      id: 'signed-in-user',
      label: signed_in_user === null ? 'As the signed-in user' : `As ${signed_in_user}`,
      note: noteOf('User at the machine', asUser),
      icon: mark(asUser),
      disabledReason: why_no_user ?? undefined,
      run: () => onRequest({ ...request, as_user: true }),
    },
  ]
}

const mark = (isChosen: boolean) => (isChosen ? IconCircleDot : IconCircle)
const noteOf = (text: string, isChosen: boolean) => (isChosen ? `${text}, selected` : text)

function waiting(problem: string | undefined): MenuEntry {
  return {
    id: 'waiting',
    label: problem === undefined ? 'Asking the machine ...' : 'Failed to list shells',
    disabledReason: problem ?? '',
    run: () => {},
  }
}
