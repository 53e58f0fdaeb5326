import { MultiSelect } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { AlertType } from '@muster/contract/api/alerts'
import { useState } from 'react'
import { FilterForm, FilterMenu, INSIDE } from '../../ui/inputs/FilterMenu.tsx'
import { ClientsFilter } from '../clients/ClientsFilter.tsx'
import type { AlertView } from './alert-view.ts'
import { SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from './alert-words.ts'

interface AlertFilterMenuProps {
  view: AlertView
  /** One machine's own alerts: nothing to choose among clients. */
  isOfAgent: boolean
  onApply: (change: Partial<AlertView>) => void
}

/** Severities, types and clients whose alerts are wanted. */
export function AlertFilterMenu({ onApply, ...props }: AlertFilterMenuProps) {
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

function Fields({ view, isOfAgent, onApply }: AlertFilterMenuProps) {
  const [severities, setSeverities] = useState([...view.severities])
  const [types, setTypes] = useState([...view.types])
  const [clients, setClients] = useState([...view.clients])
  return (
    <FilterForm
      onApply={() => onApply({ severities, types, clients })}
      onClear={() => onApply({ severities: [], types: [], clients: [] })}
    >
      <MultiSelect
        label="Severity"
        placeholder={severities.length === 0 ? 'Any' : ''}
        data={SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))}
        value={severities}
        onChange={(values) => setSeverities(SEVERITIES.filter((severity) => values.includes(severity)))}
        comboboxProps={INSIDE}
        data-autofocus
      />
      <MultiSelect
        label="Type"
        placeholder={types.length === 0 ? 'Any' : ''}
        data={AlertType.options.map((value) => ({ value, label: TYPE_LABELS[value] }))}
        value={types}
        onChange={(values) => setTypes(AlertType.options.filter((type) => values.includes(type)))}
        comboboxProps={INSIDE}
      />
      {!isOfAgent && <ClientsFilter chosen={clients} onChange={setClients} />}
    </FilterForm>
  )
}
