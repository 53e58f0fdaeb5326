import { Button, TextInput } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listRegistry } from '@muster/contract/api/registry'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '@muster/contract/client'
import { describeError } from '../../app/describe-error.ts'
import { useMay } from '../../app/queries.ts'
import { queryKey } from '../../app/query-key.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../ui/States.tsx'
import { ButtonMenu } from '../../ui/ButtonMenu.tsx'
import table from '../../ui/ListPane.module.css'
import { ConfirmCode } from '../sessions/ConfirmCode.tsx'
import { KeyTree } from './KeyTree.tsx'
import classes from './Registry.module.css'
import { keyMenu } from './key-menu.ts'
import { RegistryDialogs } from './RegistryDialogs.tsx'
import { ValueTable } from './ValueTable.tsx'
import type { OpenDialog } from './registry-dialog.ts'
import { useRegistryKey } from './use-registry-key.ts'
import { valueMenu } from './value-menu.ts'

/** The registry of a machine with Windows: its keys, and the values of one. */
export function RegistryPane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_use_registry')
  const [path, setPath] = useState('')
  const [typed, setTyped] = useState('')
  const [selected, setSelected] = useState<string>()
  const [dialog, setDialog] = useState<OpenDialog>()
  const queryClient = useQueryClient()
  /** A code was not given for this. */
  const [dismissed, setDismissed] = useState<unknown>()
  const { query, values, last } = useRegistryKey({
    agentId: agent.agent_id,
    path,
    enabled: may && agent.connected,
  })
  const go = (to: string) => {
    setPath(to)
    setTyped(to)
    setSelected(undefined)
  }
  if (!may) return <NoPermission message="Your role does not allow the registry of machines." />
  if (!agent.connected && last === undefined)
    return (
      <EmptyState message={`${agent.hostname} is not connected. Its registry is shown once it is back.`} />
    )
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
  const name = values.find((value) => value.name === selected)?.name
  const away = agent.connected ? undefined : `${agent.hostname} is not connected.`
  const ofKey = (key: string) =>
    keyMenu(key, away, (open) => {
      if (key !== path) go(key)
      setDialog(open)
    })
  const ofValue = (value: string | undefined) =>
    valueMenu(value ?? '', away ?? (value === undefined ? 'Select a value first.' : undefined), setDialog)
  return (
    <div className={table.pane}>
      <form
        className={table.tools}
        onSubmit={(event) => {
          event.preventDefault()
          go(typed.trim().replace(/\\+$/, ''))
        }}
      >
        <TextInput
          className={classes.path}
          aria-label="Path of the key"
          placeholder="HKEY_LOCAL_MACHINE\SOFTWARE"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" size="compact-sm" variant="default">
          Go
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={query.isFetching}
          onClick={() => void query.refetch()}
        >
          Refresh
        </Button>
      </form>
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
        <div className={classes.values}>
          {query.error !== null ? (
            <ErrorState {...describeError(query.error)} onRetry={() => void query.refetch()} />
          ) : !isKey ? (
            <EmptyState message="Choose a key, or write its path." />
          ) : last === undefined ? (
            <SkeletonRows rows={8} height={28} />
          ) : (
            <>
              <ValueTable
                path={path}
                values={values}
                selected={selected}
                onSelect={setSelected}
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
                  More of this key
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
