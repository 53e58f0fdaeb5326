import { MultiSelect, TagsInput } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { AuditAction, type AuditEntry, AuditObject } from '@muster/contract/api/audit'
import { useState } from 'react'
import { useMe } from '../../app/api/queries.ts'
import { FilterForm, FilterMenu, INSIDE } from '../../ui/inputs/FilterMenu.tsx'
import { ClientsFilter } from '../clients/ClientsFilter.tsx'
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
export function AuditFilterMenu({ onApply, ...props }: AuditFilterMenuProps) {
  return (
    <FilterMenu>
      {(close) => (
        <Fields
          {...props}
          onApply={(change) => {
            onApply(change)
            close()
          }}
        />
      )}
    </FilterMenu>
  )
}

function Fields({ view, isOfAgent, entries, onApply }: AuditFilterMenuProps) {
  const me = useMe()
  const [users, setUsers] = useState([...view.users])
  const [actions, setActions] = useState([...view.actions])
  const [objects, setObjects] = useState([...view.objects])
  const [clients, setClients] = useState([...view.clients])
  const known = new Set([
    ...(me === undefined ? [] : [me.username]),
    ...entries.map(({ username }) => username),
  ])
  return (
    <FilterForm
      onApply={() => onApply({ users, actions, objects, clients })}
      onClear={() => onApply({ users: [], actions: [], objects: [], clients: [], agents: [] })}
    >
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
        <>
          <MultiSelect
            label="Objects"
            placeholder={objects.length === 0 ? 'All' : ''}
            data={AuditObject.options.map((value) => ({ value, label: OBJECT_LABELS[value] }))}
            value={objects}
            onChange={(values) => setObjects(AuditObject.options.filter((object) => values.includes(object)))}
            comboboxProps={INSIDE}
          />
          <ClientsFilter chosen={clients} onChange={setClients} />
        </>
      )}
    </FilterForm>
  )
}
