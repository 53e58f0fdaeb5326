import { Button, Group, MultiSelect, Popover, Stack } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { AlertType } from '@muster/contract/api/alerts'
import { IconFilter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { clientsQuery, useMay } from '../../app/queries.ts'
import classes from './AlertList.module.css'
import type { AlertView } from './alert-view.ts'
import { SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from './alert-words.ts'

interface AlertFilterMenuProps {
  view: AlertView
  /** One machine's own alerts: nothing to choose among clients. */
  isOfAgent: boolean
  onApply: (change: Partial<AlertView>) => void
}

/** Severities, types and clients whose alerts are wanted. */
export function AlertFilterMenu({ view, isOfAgent, onApply }: AlertFilterMenuProps) {
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

function FilterForm({ view, isOfAgent, onApply }: AlertFilterMenuProps) {
  const mayListClients = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayListClients && !isOfAgent })
  const [severities, setSeverities] = useState([...view.severities])
  const [types, setTypes] = useState([...view.types])
  const [clientIds, setClientIds] = useState(view.clients.map(String))
  return (
    <form
      className={classes.filter}
      onSubmit={(event) => {
        event.preventDefault()
        onApply({ severities, types, clients: clientIds.map(Number) })
      }}
    >
      <Stack gap="md">
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
          <Button variant="default" onClick={() => onApply({ severities: [], types: [], clients: [] })}>
            Clear
          </Button>
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  )
}
