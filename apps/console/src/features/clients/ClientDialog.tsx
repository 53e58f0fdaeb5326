import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Client, createClient, editClient, listClients } from '@muster/contract/api/clients'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { FieldInputs, WithFields } from '../custom-fields/FieldInputs.tsx'
import {
  changedBody,
  checkInputs,
  type FieldInputs as Inputs,
  startInputs,
} from '../custom-fields/field-values.ts'
import { TagInput } from '../tags/TagInput.tsx'
import { ClientsDialog, GoneDialog } from './ClientsDialog.tsx'
import { checkName } from './SiteDialog.tsx'

/** Creates a client with its first site. */
export function AddClientDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Add client" needs="can_manage_clients" onClose={close}>
      <WithFields model="client" title="Add client" onClose={close}>
        {(fields) => <AddClientForm fields={fields} close={close} />}
      </WithFields>
    </GuardedDialog>
  )
}

/** Edits the client in `item`. */
export function EditClientDialog({ item, close }: AddressedDialogProps) {
  return (
    <ClientsDialog title="Edit client" needs="can_manage_clients" onClose={close}>
      {(clients) => {
        const client = clients.find(({ id }) => `${id}` === item)
        if (client === undefined) return <GoneDialog title="Edit client" what="client" onClose={close} />
        return (
          <WithFields model="client" title="Edit client" onClose={close}>
            {(fields) => <EditClientForm client={client} fields={fields} close={close} />}
          </WithFields>
        )
      }}
    </ClientsDialog>
  )
}

interface ClientFormProps {
  fields: readonly CustomField[]
  close: () => void
}

function AddClientForm({ fields, close }: ClientFormProps) {
  const queryClient = useQueryClient()
  const [start] = useState(() => startInputs(fields, []))
  const form = useForm({
    initialValues: { name: '', site: '', fields: start },
    validateInputOnBlur: true,
    validate: (values) => ({
      name: checkName(values.name),
      site: checkName(values.site),
      ...checkInputs(fields, values.fields, start),
    }),
  })
  const save = async (values: { name: string; site: string; fields: Inputs }) => {
    const client = { name: values.name }
    const body = { client, site: { name: values.site }, ...changedBody(fields, values.fields, start) }
    await call(createClient, { body })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
  }
  return (
    <FormDialog
      title="Add client"
      submitLabel="Add client"
      form={form}
      save={save}
      done={`Added ${form.values.name.trim()}.`}
      onClose={close}
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          placeholder="Acme Dental"
          maxLength={255}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="First site"
          description="Location of its machines. You can add more sites later."
          placeholder="Headquarters"
          maxLength={255}
          {...form.getInputProps('site')}
        />
        <FieldInputs fields={fields} form={form} />
      </Stack>
    </FormDialog>
  )
}

function EditClientForm({ client, fields, close }: ClientFormProps & { client: Client }) {
  const queryClient = useQueryClient()
  const [start] = useState(() => startInputs(fields, client.custom_fields))
  const form = useForm({
    initialValues: { name: client.name, tags: client.tags, fields: start },
    validateInputOnBlur: true,
    validate: (values) => ({
      name: checkName(values.name),
      ...checkInputs(fields, values.fields, start),
    }),
  })
  const save = async ({ name, tags, fields: inputs }: { name: string; tags: string[]; fields: Inputs }) => {
    const body = { client: { name, tags }, ...changedBody(fields, inputs, start) }
    await call(editClient, { params: { id: client.id }, body })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
  }
  return (
    <FormDialog title={`Edit ${client.name}`} form={form} save={save} done="Client saved." onClose={close}>
      <Stack gap="md">
        <TextInput label="Name" maxLength={255} data-autofocus {...form.getInputProps('name')} />
        <TagInput
          label="Tags"
          description="All machines of the client get them."
          {...form.getInputProps('tags')}
        />
        <FieldInputs fields={fields} form={form} />
      </Stack>
    </FormDialog>
  )
}
