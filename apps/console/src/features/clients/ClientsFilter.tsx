import { MultiSelect } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { useQuery } from '@tanstack/react-query'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import { INSIDE } from '../../ui/inputs/FilterMenu.tsx'

interface ClientsFilterProps {
  /** Client ids. */
  chosen: number[]
  onChange: (chosen: number[]) => void
}

/** Filter by client, for users who may see clients. */
export function ClientsFilter({ chosen, onChange }: ClientsFilterProps) {
  const mayList = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayList })
  if (!mayList) return null
  return (
    <MultiSelect
      label="Clients"
      placeholder={chosen.length === 0 ? 'All' : ''}
      data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
      value={chosen.map(String)}
      onChange={(values) => onChange(values.map(Number))}
      searchable
      nothingFoundMessage="No matching client"
      limit={200}
      comboboxProps={INSIDE}
    />
  )
}

/** The names of the filtered clients; the id if a name is unknown. */
export function useClientNames(ids: readonly number[]): string[] {
  const mayList = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayList && ids.length > 0 })
  return ids.map((id) => clients.find((client) => client.id === id)?.name ?? `${id}`)
}
