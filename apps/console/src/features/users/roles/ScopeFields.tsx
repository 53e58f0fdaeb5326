import { MultiSelect } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { clientsQuery } from '../../../app/api/queries.ts'
import type { RoleForm } from './role-form.ts'

type ScopeList = 'can_view_clients' | 'can_view_sites'

/** The clients and sites that a role sees. */
export function ScopeFields({ form }: { form: UseFormReturnType<RoleForm> }) {
  const { data: clients = [] } = useQuery(clientsQuery)
  const isAll = form.values.can_view_clients.length + form.values.can_view_sites.length === 0
  const scopeProps = (list: ScopeList) => ({
    value: form.values[list].map(String),
    onChange: (values: string[]) =>
      form.setFieldValue(
        list,
        values.map(Number).toSorted((a, b) => a - b),
      ),
    'data-path': list,
    error: form.errors[list],
    placeholder: isAll ? 'All' : '',
    searchable: true,
    clearable: true,
    hidePickedOptions: true,
    comboboxProps: { withinPortal: true },
  })
  return (
    <>
      <MultiSelect
        label="Clients"
        description="Visible clients with all their sites. Empty = all."
        data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
        {...scopeProps('can_view_clients')}
      />
      <MultiSelect
        label="Sites"
        description="Single sites of other clients"
        data={clients.flatMap(({ name: client, sites }) =>
          sites.map(({ id, name }) => ({ value: `${id}`, label: `${client} › ${name}` })),
        )}
        {...scopeProps('can_view_sites')}
      />
    </>
  )
}
