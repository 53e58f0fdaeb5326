import { Button, TextInput } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listRegistry } from '@muster/contract/api/registry'
import {
  IconEdit,
  IconFilePlus,
  IconFolderPlus,
  IconRefresh,
  IconTextSize,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '@muster/contract/client'
import { describeError } from '../../../app/api/describe-error.ts'
import { useMay } from '../../../app/api/queries.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { useToolLocation } from '../../../app/shell/use-tool-location.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import { ButtonMenu } from '../../../ui/dialog/ContextMenu.tsx'
import table from '../../../ui/layout/ListPane.module.css'
import { ConfirmCode } from '../../users/sessions/ConfirmCode.tsx'
import { divider, type MenuEntry } from '../../../ui/dialog/menu-entry.ts'
import { KeyTree, useRegistryKey } from './KeyTree.tsx'
import classes from './Registry.module.css'
import { type OpenDialog, RegistryDialogs } from './RegistryDialogs.tsx'
import { ValueTable } from './ValueTable.tsx'

/** The registry of a Windows machine: its keys, and the values of one. */
export function RegistryPane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_use_registry')
  const place = useToolLocation()
  const path = place.at ?? ''
  const [chosen, setChosen] = useState<{ path: string; name: string }>()
  const [dialog, setDialog] = useState<OpenDialog>()
  const queryClient = useQueryClient()
  /** The code for this was not entered. */
  const [dismissed, setDismissed] = useState<unknown>()
  const { query, values, last } = useRegistryKey({
    agentId: agent.agent_id,
    path,
    enabled: may && agent.connected,
  })
  const go = (to: string) => place.go(to === '' ? undefined : to)
  if (!may) return <NoPermission message="Your role does not allow you to see the registry of machines." />
  if (!agent.connected && last === undefined)
    return <EmptyState message={`${agent.hostname} is offline. Its registry appears when it reconnects.`} />
  if (query.error instanceof ApiError && query.error.code === 'code_needed')
    return (
      <>
        <ErrorState message={query.error.message} onRetry={() => void query.refetch()} />
        {dismissed !== query.error && (
          <ConfirmCode
            message={query.error.message}
            onConfirmed={() => void queryClient.invalidateQueries({ queryKey: queryKey(listRegistry) })}
            onClose={() => setDismissed(query.error)}
          />
        )}
      </>
    )
  const isKey = path !== ''
  const selected = chosen?.path === path ? chosen.name : undefined
  const name = values.find((value) => value.name === selected)?.name
  const away = agent.connected ? undefined : `${agent.hostname} is offline.`
  const ofKey = (key: string) =>
    keyMenu(key, away, (open) => {
      if (key !== path) go(key)
      setDialog(open)
    })
  const ofValue = (value: string | undefined) =>
    valueMenu(value ?? '', away ?? (value === undefined ? 'Select a value first.' : undefined), setDialog)
  return (
    <div className={table.pane}>
      <div className={table.tools}>
        <KeyPath path={path} onOpen={go} />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={query.isFetching}
          onClick={() => void query.refetch()}
        >
          Refresh
        </Button>
      </div>
      <div className={table.tools}>
        <ButtonMenu label="Key" entries={ofKey(path)} />
        <ButtonMenu label="Value" entries={ofValue(name)} />
        {last !== undefined && isKey && (
          <div className={table.sums} role="status">
            {last.key_count} {last.key_count === 1 ? 'key' : 'keys'}, {last.value_count}{' '}
            {last.value_count === 1 ? 'value' : 'values'}
          </div>
        )}
      </div>
      <div className={classes.split}>
        <KeyTree agentId={agent.agent_id} selected={path} onSelect={go} menuOf={ofKey} />
        <div className="pane">
          {query.error !== null ? (
            <ErrorState {...describeError(query.error)} onRetry={() => void query.refetch()} />
          ) : !isKey ? (
            <EmptyState message="Choose a key, or enter its path." />
          ) : last === undefined ? (
            <SkeletonRows rows={8} height={28} />
          ) : (
            <>
              <ValueTable
                path={path}
                values={values}
                selected={selected}
                onSelect={(value) => setChosen(value === undefined ? undefined : { path, name: value })}
                onEdit={(value) => setDialog({ what: 'edit-value', name: value })}
                menuOf={ofValue}
              />
              {query.hasNextPage && (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  Show more
                </Button>
              )}
            </>
          )}
        </div>
      </div>
      {dialog !== undefined && (
        <RegistryDialogs
          agentId={agent.agent_id}
          path={last?.path ?? path}
          open={dialog}
          onPath={go}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  )
}

/** The path of the shown key; another path can be typed. */
function KeyPath({ path, onOpen }: { path: string; onOpen: (path: string) => void }) {
  const [held, setHeld] = useState({ path, typed: path })
  if (held.path !== path) setHeld({ path, typed: path })
  return (
    <form
      className={classes.where}
      onSubmit={(event) => {
        event.preventDefault()
        onOpen(held.typed.trim().replace(/\\+$/, ''))
      }}
    >
      <TextInput
        className={classes.path}
        aria-label="Key path"
        placeholder="HKEY_LOCAL_MACHINE\SOFTWARE"
        spellCheck={false}
        value={held.typed}
        onChange={(event) => setHeld({ path, typed: event.currentTarget.value })}
      />
      <Button type="submit" size="compact-sm" variant="default">
        Go
      </Button>
    </form>
  )
}

/** The actions on a value, as in regedit. `whyNot`: why they are disabled. */
function valueMenu(name: string, whyNot: string | undefined, ask: (dialog: OpenDialog) => void): MenuEntry[] {
  return [
    {
      id: 'edit',
      label: 'Edit value',
      icon: IconEdit,
      shortcut: 'Enter',
      disabledReason: whyNot,
      run: () => ask({ what: 'edit-value', name }),
    },
    {
      id: 'rename',
      label: 'Rename value',
      icon: IconTextSize,
      shortcut: 'F2',
      disabledReason: whyNot,
      run: () => ask({ what: 'rename-value', name }),
    },
    divider('change'),
    {
      id: 'delete',
      label: 'Delete value',
      icon: IconTrash,
      shortcut: 'Del',
      danger: true,
      disabledReason: whyNot,
      run: () => ask({ what: 'delete-value', name }),
    },
  ]
}

const ROOT_STAYS = 'Windows does not allow changes to root keys.'

const isRootKey = (path: string) => !path.includes('\\')

/** The actions on a key, as in regedit. `whyNot`: why they are disabled. */
function keyMenu(path: string, whyNot: string | undefined, ask: (dialog: OpenDialog) => void): MenuEntry[] {
  const whyNotBelow = whyNot ?? (path === '' ? 'Choose a key first.' : undefined)
  const whyNotKey = whyNotBelow ?? (isRootKey(path) ? ROOT_STAYS : undefined)
  return [
    {
      id: 'new-key',
      label: 'New key',
      icon: IconFolderPlus,
      disabledReason: whyNotBelow,
      run: () => ask({ what: 'new-key' }),
    },
    {
      id: 'new-value',
      label: 'New value',
      icon: IconFilePlus,
      disabledReason: whyNotBelow,
      run: () => ask({ what: 'new-value' }),
    },
    divider('change'),
    {
      id: 'rename',
      label: 'Rename key',
      icon: IconTextSize,
      shortcut: 'F2',
      disabledReason: whyNotKey,
      run: () => ask({ what: 'rename-key' }),
    },
    {
      id: 'delete',
      label: 'Delete key',
      icon: IconTrash,
      shortcut: 'Del',
      danger: true,
      disabledReason: whyNotKey,
      run: () => ask({ what: 'delete-key' }),
    },
  ]
}
