import '@mantine/core/styles/Checkbox.css'
import { Checkbox, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  createWebhook,
  editWebhook,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
  WebhookForm,
} from '@muster/contract/api/webhooks'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../app/api/api.ts'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { EVENT_LABELS, webhooksQuery } from './event-labels.ts'
import { ShownSecret } from './ShownSecret.tsx'

/** A new webhook (`new`) or an existing one (`3`). Closing leads to the list. */
export function WebhookDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('webhooks', 'webhook')
  return (
    <RecordDialog
      list={webhooksQuery}
      item={item}
      title="Webhook"
      needs="can_edit_core_settings"
      gone="Webhook not found."
      back="Show webhooks"
      onClose={openList}
    >
      {(webhook, onReload) => <WebhookFields webhook={webhook} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

interface WebhookFieldsProps {
  /** The edited webhook, as it was when the form was opened. */
  webhook: Webhook | undefined
  onReload: (() => void) | undefined
  onClose: () => void
}

const problemOf = (field: 'name' | 'url' | 'events', value: unknown) =>
  WebhookForm.shape[field].safeParse(value).error?.issues[0]?.message ?? null

function WebhookFields({ webhook, onReload, onClose }: WebhookFieldsProps) {
  const saveInto = useSaveInto(webhooksQuery.queryKey)
  const mayListClients = useMay('can_list_clients')
  const { data: clients } = useQuery({ ...clientsQuery, enabled: mayListClients })
  const made = useRef<string>(undefined)
  const [secret, setSecret] = useState<string>()
  const form = useForm({
    initialValues: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      events: webhook?.events ?? ([] as WebhookEvent[]),
      client: webhook?.client == null ? null : `${webhook.client}`,
      enabled: webhook?.enabled ?? true,
    },
    validate: {
      name: (name) => problemOf('name', name),
      url: (url) => problemOf('url', url),
      events: (events) => problemOf('events', events),
    },
    validateInputOnBlur: true,
  })
  const save = (values: typeof form.values) =>
    saveInto(async () => {
      const body = { ...values, client: values.client === null ? null : Number(values.client) }
      if (webhook === undefined) made.current = (await call(createWebhook, { body })).secret
      else
        await call(editWebhook, { params: { id: webhook.id }, body: { ...body, modified: webhook.modified } })
    })
  if (secret !== undefined) return <ShownSecret name={form.values.name} secret={secret} onClose={onClose} />
  return (
    <FormDialog
      title={webhook === undefined ? 'New webhook' : `Edit ${webhook.name}`}
      form={form}
      save={save}
      done={webhook === undefined ? 'Webhook added.' : 'Webhook saved.'}
      submitLabel={webhook === undefined ? 'Add webhook' : 'Save'}
      onClose={() => (made.current === undefined ? onClose() : setSecret(made.current))}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this webhook" onReload={onReload} />
        <TextInput label="Name" maxLength={60} data-autofocus {...form.getInputProps('name')} />
        <TextInput
          label="URL"
          description="Receives a signed POST request for each event."
          placeholder="https://tickets.example.org/hooks/muster"
          maxLength={2000}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('url')}
        />
        <Checkbox.Group label="Events" {...form.getInputProps('events')}>
          <Stack gap="xs" mt={4}>
            {WEBHOOK_EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={EVENT_LABELS[event]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Select
          label="Client"
          placeholder="All clients"
          data={(clients ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))}
          disabled={!mayListClients}
          searchable
          clearable
          nothingFoundMessage="No matching client"
          comboboxProps={{ withinPortal: true }}
          {...form.getInputProps('client')}
        />
        <Checkbox label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      </Stack>
    </FormDialog>
  )
}
