import { Button, Group, MultiSelect, Popover, Stack, TagsInput } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { AuditAction, type AuditEntry, AuditObject } from '@muster/contract/api/audit'
import { IconFilter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { clientsQuery, useMay, useMe } from '../../app/queries.ts'
import classes from './AuditLog.module.css'
import type { AuditFilter } from './audit-view.ts'
import { ACTION_LABELS, OBJECT_LABELS } from './audit-words.ts'

interface AuditFilterMenuProps {
  view: AuditFilter
  /** One machine's own log: nothing to choose among clients and kinds of things. */
  isOfAgent: boolean
  /** Their users are suggested. */
  entries: readonly AuditEntry[]
  onApply: (change: Partial<AuditFilter>) => void
}

/** Users, actions, objects and clients whose entries are wanted. */
export function AuditFilterMenu({ view, isOfAgent, entries, onApply }: AuditFilterMenuProps) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus zIndex={250}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} stroke={1.75} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm
          view={view}
          isOfAgent={isOfAgent}
          entries={entries}
          onApply={(change) => {
            onApply(change)
            setOpened(false)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

// The lists open inside the popover, or choosing in them would close it.
const INSIDE = { withinPortal: false, shadow: 'md' }

function FilterForm({ view, isOfAgent, entries, onApply }: AuditFilterMenuProps) {
  const me = useMe()
  const mayListClients = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayListClients && !isOfAgent })
  const [users, setUsers] = useState([...view.users])
  const [actions, setActions] = useState([...view.actions])
  const [objects, setObjects] = useState([...view.objects])
  const [clientIds, setClientIds] = useState(view.clients.map(String))
  const known = new Set([
    ...(me === undefined ? [] : [me.username]),
    ...entries.map(({ username }) => username),
  ])
  return (
    <form
      className={classes.filter}
      onSubmit={(event) => {
        event.preventDefault()
        onApply({ users, actions, objects, clients: clientIds.map(Number) })
      }}
    >
      <Stack gap="md">
        <TagsInput
          label="Users"
          placeholder={users.length === 0 ? 'Anybody' : ''}
          data={[...known].filter(Boolean).toSorted()}
          value={users}
          onChange={setUsers}
          maxTags={20}
          comboboxProps={INSIDE}
          data-autofocus
        />
        <MultiSelect
          label="Actions"
          placeholder={actions.length === 0 ? 'All' : ''}
          data={AuditAction.options.map((value) => ({ value, label: ACTION_LABELS[value] }))}
          value={actions}
          onChange={(values) => setActions(AuditAction.options.filter((action) => values.includes(action)))}
          comboboxProps={INSIDE}
        />
        {!isOfAgent && (
          <MultiSelect
            label="Objects"
            placeholder={objects.length === 0 ? 'All' : ''}
            data={AuditObject.options.map((value) => ({ value, label: OBJECT_LABELS[value] }))}
            value={objects}
            onChange={(values) => setObjects(AuditObject.options.filter((object) => values.includes(object)))}
            comboboxProps={INSIDE}
          />
        )}
        {!isOfAgent && mayListClients && (
          <MultiSelect
            label="Clients"
            placeholder={clientIds.length === 0 ? 'All' : ''}
            data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
            value={clientIds}
            onChange={setClientIds}
            searchable
            nothingFoundMessage="No such client"
            limit={200}
            comboboxProps={INSIDE}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            onClick={() => onApply({ users: [], actions: [], objects: [], clients: [], agents: [] })}
          >
            Clear
          </Button>
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  )
}
