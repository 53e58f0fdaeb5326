import { Checkbox, Group, MultiSelect, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/SimpleGrid.css'
import type { UseFormReturnType } from '@mantine/form'
import { AlertType } from '@muster/contract/api/alerts'
import { useQuery } from '@tanstack/react-query'
import { clientsQuery, useMay } from '../../../app/api/queries.ts'
import { SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from '../alert-words.ts'
import { listTimeZones } from '../../setup/time-zones.ts'
import type { ChannelForm } from './channel-form.ts'

type Form = UseFormReturnType<ChannelForm>

const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))
const TYPE_CHOICES = AlertType.options.map((value) => ({ value, label: TYPE_LABELS[value] }))

/** Which alerts go to the channel, and when. */
export function RuleFields({ form }: { form: Form }) {
  const mayListClients = useMay('can_list_clients')
  const { data: clients = [] } = useQuery({ ...clientsQuery, enabled: mayListClients })
  const clientIds = form.values.clients as readonly number[]
  const hasQuietHours = form.values.quiet_from !== '' || form.values.quiet_to !== ''
  return (
    <>
      <Choices form={form} name="severities" label="Severities" choices={SEVERITY_CHOICES} />
      <Choices form={form} name="alert_types" label="Types" choices={TYPE_CHOICES} />
      {mayListClients && (
        <MultiSelect
          label="Clients"
          placeholder={clientIds.length === 0 ? 'All, and what belongs to none' : ''}
          data={clients.map(({ id, name }) => ({ value: `${id}`, label: name }))}
          value={clientIds.map(String)}
          onChange={(values) => form.setFieldValue('clients', values.map(Number))}
          error={form.errors.clients}
          searchable
          nothingFoundMessage="No such client"
          limit={200}
        />
      )}
      <Checkbox
        label="Tell also when it is over"
        {...form.getInputProps('on_resolved', { type: 'checkbox' })}
      />
      <NumberInput
        label="Tell again after"
        description="While it is open and nobody has acknowledged or snoozed it; 0 = only once."
        suffix=" min"
        min={0}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('repeat_minutes')}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        <TextInput
          type="time"
          label="Quiet from"
          description="Empty = never quiet."
          {...form.getInputProps('quiet_from')}
        />
        <TextInput
          type="time"
          label="Quiet until"
          description="What waited is told then."
          {...form.getInputProps('quiet_to')}
        />
        <Select
          label="Time zone"
          description="Of the quiet hours."
          data={listTimeZones()}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No such time zone"
          limit={100}
          {...form.getInputProps('time_zone')}
        />
      </SimpleGrid>
      {hasQuietHours && (
        <Choices
          form={form}
          name="quiet_except"
          label="Told in quiet hours all the same"
          choices={SEVERITY_CHOICES}
        />
      )}
    </>
  )
}

interface ChoicesProps {
  form: Form
  name: string
  label: string
  choices: readonly { value: string; label: string }[]
}

function Choices({ form, name, label, choices }: ChoicesProps) {
  return (
    <Checkbox.Group label={label} {...form.getInputProps(name)}>
      <Group gap="md" mt={4}>
        {choices.map(({ value, label: word }) => (
          <Checkbox key={value} value={value} label={word} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}
