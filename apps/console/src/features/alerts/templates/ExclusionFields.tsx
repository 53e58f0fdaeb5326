import { Checkbox, Group, MultiSelect } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { clientsQuery, useMay } from '../../../app/api/queries.ts'
import { machineNamesQuery, namesOf } from './machine-names.ts'
import type { TemplateForm } from './template-form.ts'

/** For which machines a template does not count. */
export function ExclusionFields({ form }: { form: UseFormReturnType<TemplateForm> }) {
  const mayListClients = useMay('can_list_clients')
  const mayListAgents = useMay('can_list_agents')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayListClients })
  const { data: machines = [] } = useQuery({ ...machineNamesQuery, enabled: mayListAgents })
  const { excluded_clients, excluded_sites, excluded_agents } = form.values
  return (
    <>
      <Group gap="lg">
        <Checkbox label="Servers" {...form.getInputProps('exclude_servers', { type: 'checkbox' })} />
        <Checkbox
          label="Workstations"
          {...form.getInputProps('exclude_workstations', { type: 'checkbox' })}
        />
      </Group>
      {mayListClients && (
        <>
          <Names
            label="Clients"
            data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
            values={excluded_clients.map(String)}
            onChange={(values) => form.setFieldValue('excluded_clients', values.map(Number))}
          />
          <Names
            label="Sites"
            data={clients.flatMap(({ name: client, sites }) =>
              sites.map(({ id, name }) => ({ value: `${id}`, label: `${client} › ${name}` })),
            )}
            values={excluded_sites.map(String)}
            onChange={(values) => form.setFieldValue('excluded_sites', values.map(Number))}
          />
        </>
      )}
      {mayListAgents && (
        <Names
          label="Machines"
          data={namesOf(machines)}
          values={excluded_agents}
          onChange={(values) => form.setFieldValue('excluded_agents', values)}
        />
      )}
    </>
  )
}

interface NamesProps {
  label: string
  data: { value: string; label: string }[]
  values: string[]
  onChange: (values: string[]) => void
}

function Names({ label, data, values, onChange }: NamesProps) {
  // What is excluded and not seen, or gone, stays and can be taken away.
  const others = values
    .filter((value) => !data.some((item) => item.value === value))
    .map((value) => ({ value, label: `unknown (${value})` }))
  return (
    <MultiSelect
      label={label}
      placeholder={values.length === 0 ? 'None' : ''}
      data={[...data, ...others]}
      value={values}
      onChange={onChange}
      searchable
      hidePickedOptions
      nothingFoundMessage="Nothing of that name"
      limit={200}
    />
  )
}
